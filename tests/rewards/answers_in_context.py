"""Answers with words beside them that deny, hedge or change them, and their plain neighbours: R(ight), U(nreadable)."""

# for gold 80
EIGHTY = r"""
R|The answer is not 79, it is 80.
R|about twice as many, so 80
R|Half of 160 is 80.
R|Half of 160 = 80
R|That adds up to 80.
R|The number of apples not eaten is 80.
R|The number of wrong answers is 80.
R|The number of students who do not play is 80.
R|There are 80 rejected parts.
R|He could buy 80 apples.
R|She has no money left, so the total is 80.
R|It can hold more, so not 79; it is 80.
R|I think it is 80.
R|It is about 80.
R|80, since it can't be less.
R|80 with no remainder
R|80, no doubt
R|There are 80 apples that don't fit.
R|80 is correct.
R|eighty (80)
R|That's 80.
R|twice 40 = 80
R|Double 40 makes 80
R|80L
R|80 m
R|80cm2
R|The answer is 80!
R|I doubt the answer is 79. The answer is 80.
R|It is not \boxed{79}, it is \boxed{80}.
R|The answer is 80. That is correct.
R|80 quarters
R|80 times as many
R|So \boxed{80}, not less.
R|We cannot be sure at first; counting gives 80
U|half of 80
U|Half of the 80
U|twice 80
U|twice as many as 80
U|double 80
U|a third of 80
U|square root of 80
U|sqrt(80)
U|log 80
U|the reciprocal of 80
U|one hundred 80
U|a hundred and 80
U|multiples of 80
U|out of 80
U|80M
U|80 M
U|80K
U|80B
U|80 mio
U|80 lakh
U|80 per mille
U|80 basis points
U|80‰
U|80 hundredths
U|80 doubled
U|80 minus one
U|80 and a half
U|80 below zero
U|80 degrees below zero
U|neg 80
U|NEGATIVE of 80
U|80h30
U|80 h30
U|$80!$
U|\boxed{80!}
U|80! apples
U|!80
U|¬80
U|80 in hexadecimal
U|under 80
U|almost 80
U|up to 80
U|80 is wrong
U|80 is clearly wrong.
U|80, which is wrong
U|80 (wrong)
U|80 would be too high
U|80 is not the answer
U|80 is hardly the answer
U|80 cannot be right
U|80 can't be the answer
U|80? No.
U|The answer is 80? No.
U|anything but 80
U|any number but 80
U|other than 80
U|instead of 80
U|except 80
U|far from 80
U|The answer can't be 80
U|It cannot be 80
U|It is never 80
U|It does not equal 80
U|I don't think it is 80
U|I don't think the answer is 80
U|I doubt it is 80
U|The wrong answer is 80
U|None of these is 80
U|It is false that x is 80
U|not x = 80
U|if it is 80
U|Suppose x = 80
U|She doesn't have 80
U|maybe 80
U|perhaps 80
U|80, maybe
U|It could be 80
U|It might be 80.
U|80?
U|The answer is 80?
U|\boxed{80?}
U|Could it be 80
U|It is not \boxed{80}.
U|The answer is not \boxed{80}
U|anything but \boxed{80}
U|half of \boxed{80}
U|x = -\boxed{80}
U|\boxed{80} is wrong
U|\boxed{80}? No.
U|\boxed{80} million
U|<answer>80</answer> is wrong
U|Not <answer>80</answer>
U|The answer is 80. That is wrong.
U|Answer: 80\nNo.
U|\boxed{80}\nScratch that.
"""

# for gold animal of animal, food, vehicle, clothing
WORDS = r"""
R|It can't be food, so it is an animal.
R|food is wrong, it is an animal.
R|not a food but an animal
R|It is an animal, no doubt.
R|Animal? Yes.
R|An animal is the answer.
R|I don't think it is a food; it is an animal.
R|The thing that doesn't drive is an animal.
R|animal, because it isn't edible
U|hardly an animal
U|animal-free
U|non-animal
U|an animal? no
U|an animal? no.
U|anything but animal
U|all but animal
U|everything but an animal
U|The answer can't be animal
U|The answer isn't really an animal.
U|The answer is animal? No.
U|animal is wrong
U|An animal is not the answer.
U|It can't be an animal.
U|It cannot be called an animal
U|I don't think it is an animal.
U|I don't think the answer is animal.
U|I doubt it is an animal
U|animal: wrong
U|no animal
U|other than animal
U|far from an animal
U|rather than an animal
U|not \boxed{animal}
U|\boxed{animal} is wrong
U|The answer is animal. That is wrong.
"""

# for gold B of A London, B Paris, C Rome
LETTERS = r"""
R|The answer is B, not A.
R|A is wrong, so B
R|Not A, B.
R|It can't be A; it is B.
R|All but B are wrong? No, the answer is B.
R|option-B
R|B-Paris
R|\boxed{\mathbf{B}}
R|\underline{B}
R|B is correct.
R|B!
R|B is the answer because A is wrong.
U|B is wrong
U|B is wrong.
U|B is clearly incorrect
U|B can't be right
U|B cannot be the answer
U|B does not fit
U|B? No.
U|The answer can't be B
U|The answer cannot be B.
U|The answer is never B
U|The wrong answer is B
U|All but B
U|anything but B
U|Answer: all but B
U|Any option but B
U|\boxed{\neg B}
U|\boxed{\lnot{B}}
U|\boxed{¬B}
U|\boxed{!B}
U|\boxed{\overline{B}}
U|\boxed{B^c}
U|non-B
U|\boxed{B} is wrong
U|Not \boxed{B}
U|The answer is B. No, that is wrong.
"""
