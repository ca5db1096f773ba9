r"""Golds x answers for the kind `math`, by kind of trap.

R(ight), W(rong), N(ot right: wrong or unreadable), X (ungraded).

Columns: status, gold, answer; a fourth, where there is one, is the question. "⏎" is a line break.
"""

CASES = r"""
# numbers in every notation
R ~ 37 ~ 37
R ~ 37 ~ 37.0
R ~ 37 ~ #### 37
R ~ 37 ~ So the answer is 37.
R ~ 37 ~ ３７
R ~ 37 ~ 𝟑𝟕
R ~ 37 ~ 三十七
R ~ 37 ~ 答案是三十七。
R ~ 37 ~ \boxed{\text{37}}
R ~ 37 ~ \boxed{\mathbf{37}}
R ~ 37 ~ $\boxed{37}$
R ~ 37 ~ \[ \boxed{37} \]
R ~ 37 ~ \[⏎x = 37⏎\]
R ~ 37 ~ $$⏎\boxed{37}⏎$$
R ~ 37 ~ The total is 37 apples, counting the green ones.
R ~ 37 ~ \boxed{37 \text{ apples}}
R ~ 37 ~ \boxed{x = 37}
R ~ 37 ~ x = 37
R ~ 37 ~ $x=37$
R ~ 37 ~ 30 + 7 = 37
R ~ 37 ~ $30 + 7 = 37$
R ~ 37 ~ <answer>37</answer>
R ~ 37 ~ <answer>The answer is 37.</answer>
R ~ 37 ~ <think>36?</think>37
R ~ 37 ~ **37**
R ~ 37 ~ **Answer:** 37
R ~ 37 ~ Final answer: \(37\)
R ~ 37 ~ 3.7e1
R ~ 37 ~ 3.7 \times 10^{1}
R ~ 37 ~ \left(37\right)
R ~ 37 ~ \displaystyle 37
W ~ 37 ~ 38
W ~ 37 ~ -37
W ~ 37 ~ 37.001
N ~ 37 ~ 30 + 7 = 38
N ~ 37 ~ 30 + 7
N ~ 37 ~ \boxed{30 + 7}
N ~ 37 ~ \boxed{37 \cdot 1}
N ~ 37 ~ \boxed{74/2}
N ~ 37 ~ \boxed{\frac{74}{2}}
N ~ 37 ~ \boxed{\sqrt{1369}}
N ~ 37 ~ 36 or 37
N ~ 37 ~ \boxed{36 \text{ or } 37}
N ~ 37 ~ \boxed{36, 37}
N ~ 37 ~ \boxed{37}\boxed{38}
N ~ 37 ~ \boxed{38} \boxed{37}
N ~ 37 ~ \boxed{36}⏎\boxed{37}
N ~ 37 ~ \boxed{36} and \boxed{37}
N ~ 37 ~ x = 36 or x = 37
N ~ 37 ~ x = 36, x = 37
N ~ 37 ~ x = 36⏎x = 37
N ~ 37 ~ \boxed{\{37\}}
N ~ 37 ~ \boxed{(36, 37)}
N ~ 37 ~ \boxed{[37, 38]}
N ~ 37 ~ 37%
N ~ 37 ~ \boxed{3700\%}
N ~ 37 ~ \boxed{37^\circ}
N ~ 37 ~ \boxed{37k}
N ~ 37 ~ 37 thousand
N ~ 37 ~ 37 dozen
N ~ 37 ~ 37 million dollars
N ~ 37 ~ \boxed{37!}
N ~ 37 ~ \boxed{37x}
N ~ 37 ~ \boxed{\pm 37}
N ~ 37 ~ \boxed{|37}
N ~ 37 ~ \boxed{37_8}
N ~ 37 ~ \boxed{x > 37}
N ~ 37 ~ x \ge 37
N ~ 37 ~ \boxed{x \neq 37}
N ~ 37 ~ \boxed{37?}
N ~ 37 ~ 37?
N ~ 37 ~ Is it 37?
N ~ 37 ~ maybe 37
N ~ 37 ~ not 37
N ~ 37 ~ half of 37
N ~ 37 ~ 37 is wrong
N ~ 37 ~ 37 is an overestimate
N ~ 37 ~ nobody said 37
N ~ 37 ~ 37 is too high
N ~ 37 ~ \boxed{\text{not } 37}
N ~ 37 ~ \boxed{\text{half of } 37}
N ~ 37 ~ \boxed{37
N ~ 37 ~ <think>\boxed{37}
N ~ 37 ~ <think>\boxed{37}</think> I am not sure.
N ~ 37 ~ \boxed{}
N ~ 37 ~ \boxed{thirty or 37}
N ~ 37 ~ 2x + 1 = 37
N ~ 37 ~ \boxed{2x + 1 = 37}
N ~ 37 ~ \boxed{x + y = 37}
N ~ 37 ~ \boxed{36 = 37}
R ~ 1024 ~ \boxed{2^{10}}
R ~ 1024 ~ 1,024
R ~ 1024 ~ 1{,}024
R ~ 1024 ~ 1\,024
R ~ 1024 ~ $1,\!024$
R ~ 1024 ~ 1 024
W ~ 1024 ~ 1,025
N ~ 1024 ~ 10,24
N ~ 1024 ~ 1.024
R ~ 8750 ~ \boxed{8,750}
R ~ 8750 ~ \boxed{\$8,750}
R ~ 1234567 ~ 1,234,567
R ~ 1234567.5 ~ 1,234,567.5
N ~ 1234567 ~ 1,234,56,7
W ~ 8.75 ~ \boxed{8,750}
R ~ 0.375 ~ \boxed{0,375}
R ~ 0.5 ~ 0,5
N ~ 3.14 ~ 3,14
N ~ 375 ~ 0,375
R ~ \frac{3}{4} ~ 3/4
R ~ \frac{3}{4} ~ 0.75
R ~ \frac{3}{4} ~ .75
R ~ \frac{3}{4} ~ ¾
W ~ \frac{3}{4} ~ 三分之四
W ~ \frac{3}{4} ~ 4/3
W ~ \frac{3}{4} ~ -3/4
R ~ \frac{3}{4} ~ 四分之三
R ~ \frac{3}{4} ~ 75%
R ~ \frac{3}{4} ~ 百分之七十五
R ~ \frac{3}{4} ~ \boxed{75\%}
R ~ \frac{3}{4} ~ \dfrac{3}{4}
R ~ \frac{3}{4} ~ \boxed{\tfrac34}
R ~ \frac{3}{4} ~ $\frac34$
R ~ \frac{3}{4} ~ $\frac{6}{8}$
R ~ \frac{3}{4} ~ \boxed{\frac{-3}{-4}}
R ~ \frac{3}{4} ~ So the probability is $\frac{3}{4}$.
R ~ \frac{3}{4} ~ P(A) = \frac{3}{4}
R ~ \frac{3}{4} ~ $P(A) = \frac{3}{4}$
R ~ \frac{3}{4} ~ \boxed{\frac{3}{4}} \approx 0.75
W ~ \frac{3}{4} ~ 75
N ~ \frac{3}{4} ~ 1/2 + 1/4
N ~ \frac{3}{4} ~ 1 - \frac14
N ~ \frac{3}{4} ~ 3:4
N ~ \frac{3}{4} ~ 3/4 or 1/2
W ~ \frac{1}{3} ~ 0.333
W ~ \frac{1}{3} ~ 0.3333333333333
R ~ \frac{1}{3} ~ 0.\overline{3}
R ~ \frac{1}{3} ~ 0.\dot{3}
R ~ \frac{1}{3} ~ 0.(3)
W ~ \frac{1}{3} ~ 0.3
N ~ \frac{1}{3} ~ 0.333...
R ~ 0.1\overline{6} ~ \frac{1}{6}
R ~ \frac{22}{7} ~ 3\frac{1}{7}
R ~ \frac{22}{7} ~ 3 1/7
R ~ \frac{22}{7} ~ \boxed{3\dfrac{1}{7}}
W ~ \frac{22}{7} ~ 3.142857
W ~ \frac{22}{7} ~ \pi
R ~ -\frac{22}{7} ~ -3 1/7
R ~ -\frac{22}{7} ~ −3⅐
W ~ -\frac{20}{7} ~ -3 1/7
W ~ -\frac{20}{7} ~ -3\frac17
R ~ 2.5 ~ 2½
R ~ 2.5 ~ 5/2
R ~ 2.5 ~ 2.50
R ~ 5.25 ~ (5.25)
R ~ 1.2e-3 ~ 0.0012
R ~ 0.0012 ~ 1.2 × 10⁻³
R ~ 0.0012 ~ 1.2 x 10^-3
R ~ 0.0012 ~ 1.2 \cdot 10^{-3}
R ~ 6.02 \times 10^{23} ~ 6.02e23
R ~ 6.02 \times 10^{23} ~ 602000000000000000000000
W ~ 6.02 \times 10^{23} ~ 6.02 \times 10^{22}
W ~ 0.0000003 ~ 0.0000002
W ~ 0.0000003 ~ 0
W ~ 10^{-20} ~ 0
W ~ 10^{-20} ~ 10^{-21}
W ~ \frac{1}{2^{70}} ~ \frac{1}{2^{71}}
R ~ \frac{1}{2^{70}} ~ 2^{-70}
W ~ 50000 ~ 50001
W ~ 50000 ~ 50000.5
X ~  ~ 3
X ~ see the diagram ~ 3
X ~ refer to the figure below ~ 3
X ~ answers may vary ~ 3
X ~ proof omitted ~ 3
X ~ N/A ~ N/A
X ~ none ~ 3
X ~ \boxed{} ~ 3
X ~ 3 or so, see above ~ 3
X ~ \frac{1}{0} ~ 3
X ~ 9^{9^{9}} ~ 3
X ~ 10^{10^{10}} ~ 10^{10^{10}}
X ~ 5000000! ~ 3
X ~ \int_0^1 x dx ~ 1/2
N ~ 5 ~ 9^{9^9}
N ~ 5 ~ \boxed{10^{10^{10}}}
N ~ 5 ~ \boxed{1000000!}
N ~ 5 ~ \boxed{\binom{1000000}{500000}}
N ~ 5 ~ \boxed{1e999999999}
N ~ 65535 ~ \boxed{2^{2^{2^{2}}} - 1}
# percent, units, currency, degrees
R ~ 36\% ~ 36%
R ~ 36\% ~ \boxed{36 percent}
R ~ 36\% ~ 0.36
R ~ 36\% ~ 9/25
R ~ 36\% ~ 36 per cent
R ~ 36\% ~ The share is 36 percent.
R ~ 36\% ~ 36 \text{ percent}
W ~ 36\% ~ 36
W ~ 36\% ~ 0.36%
N ~ 15 ~ \boxed{15\%}
N ~ 1.5 ~ 150%
N ~ 1 ~ 100%
R ~ 0.125 ~ 12.5%
R ~ 0.0025 ~ \frac14\%
R ~ 0.005 ~ 0.5 percent
R ~ 5 ~ \boxed{5 \text{ cm}}
R ~ 5 ~ 5 cm
R ~ 5 ~ 5cm
R ~ 5 ~ 5m
R ~ 5 ~ 5 m
R ~ 5 ~ \boxed{5\,\mathrm{m}}
R ~ 5 ~ 5 m/s
R ~ 5 ~ 5 square meters
R ~ 5 ~ \boxed{5 \text{ cm}^2}
R ~ 5 \text{ cm} ~ 5 cm
R ~ 5 \text{ cm} ~ 5 centimeters
R ~ 5 \text{ cm} ~ \boxed{5}
R ~ 5 \text{ cm} ~ 50 mm
R ~ 5 \text{ cm} ~ 0.05 m
W ~ 5 \text{ m} ~ 5 cm
W ~ 5 \text{ m} ~ 5 miles
W ~ 5 \text{ m} ~ \boxed{5 \text{ km}}
W ~ 5 \text{ cm} ~ 5 kg
W ~ 5 \text{ cm} ~ 5 cm^2
R ~ 12 \text{ cm}^2 ~ 12 \text{ square centimeters}
R ~ 12 \text{ cm}^2 ~ $12\text{ cm}^{2}$
W ~ 12 \text{ cm}^2 ~ 12 \text{ cm}^3
R ~ 60 \text{ km/h} ~ 60 km/h
R ~ 60 \text{ km/h} ~ 60 km per hour
W ~ 60 \text{ km/h} ~ 60 m/s
R ~ 2 \text{ hours} ~ 120 minutes
W ~ 2 \text{ hours} ~ 2 minutes
R ~ \$5 ~ 5
R ~ \$5 ~ \$5.00
R ~ \$5 ~ 5 dollars
R ~ \$5 ~ $5
R ~ \$5 ~ 500 cents
W ~ \$5 ~ 5 cents
W ~ 5 dollars ~ 5 cents
W ~ \$5 ~ €5
W ~ \$5 ~ 5 yuan
R ~ 0.05 ~ \$0.05
R ~ 5 ~ $5
R ~ 5 ~ \$5.00
R ~ 5 ~ It costs $5.00.
R ~ 5 ~ €5
R ~ 29 ~ The price is $29.00
R ~ 0.08 \text{ yuan} ~ 0.08 yuan
W ~ 0.08 \text{ yuan} ~ 0.08 dollars
R ~ 24 ~ 2 dozen
W ~ 2 ~ 2 dozen
R ~ 3000000 ~ 3 million
R ~ 5 apples ~ 5
R ~ 5 apples ~ 5 apples
R ~ 5 apples ~ 5 red apples
W ~ 5 apples ~ 5 pears
R ~ 82^\circ ~ 82°
R ~ 82^\circ ~ 82 degrees
R ~ 82^\circ ~ \boxed{82^{\circ}}
R ~ 82^\circ ~ \angle ABC = 82^\circ
R ~ 82^\circ ~ $\boxed{82\text{ degrees}}$
R ~ 82^\circ ~ 82
W ~ 82^\circ ~ 83^\circ
R ~ 60^\circ ~ \frac{\pi}{3}
R ~ 60^\circ ~ \pi/3
R ~ \frac{\pi}{3} ~ 60°
R ~ \frac{\pi}{2} ~ 90^\circ
W ~ \frac{\pi}{3} ~ 30^\circ
W ~ 38 ~ 38^\circ
R ~ 38 ~ 38^\circ ~ Find the angle in degrees.
W ~ 60 \text{ rad} ~ 60^\circ
R ~ 20^\circ C ~ 20°C
R ~ 20^\circ C ~ 20 degrees Celsius
# irrational golds and decimals
R ~ \sqrt{23} ~ \sqrt{23}
R ~ \sqrt{23} ~ √23
R ~ \sqrt{23} ~ sqrt(23)
R ~ \sqrt{23} ~ $\sqrt{23} \approx 4.796$
R ~ \sqrt{23} ~ 23^{1/2}
R ~ \sqrt{23} ~ 4.795831523
R ~ \sqrt{23} ~ 4.7958315233
R ~ \sqrt{23} ~ 4.79583152331271954
W ~ \sqrt{23} ~ 4.7958
W ~ \sqrt{23} ~ 4.79583152
W ~ \sqrt{23} ~ 4.7958315230000
W ~ \sqrt{23} ~ 4.796
N ~ \sqrt{23} ~ \pm\sqrt{23}
R ~ \pi ~ 3.141592653589793
R ~ \pi ~ 3.141592653
R ~ \pi ~ 3.141592654
W ~ \pi ~ 3.14
W ~ \pi ~ 3.1415926
W ~ \pi ~ 22/7
R ~ \pi ~ pi
R ~ \pi ~ π
R ~ 2\pi ~ 2π
R ~ 2\pi ~ 2 * pi
R ~ \dfrac{\pi}{2} ~ pi/2
R ~ \dfrac{\pi}{2} ~ π/2
R ~ \dfrac{\pi}{2} ~ \frac12\pi
R ~ \dfrac{\pi}{2} ~ The angle is $\frac{\pi}{2}$ radians.
R ~ 6\sqrt{3} ~ 6\sqrt3
R ~ 6\sqrt{3} ~ 6√3
R ~ 6\sqrt{3} ~ 6\sqrt(3)
R ~ 6\sqrt{3} ~ \sqrt{108}
W ~ 6 ~ 6\sqrt{3}
W ~ 3 ~ $\sqrt(3)$
R ~ \frac{1}{\sqrt{2}} ~ \frac{\sqrt{2}}{2}
R ~ \frac{3}{\sqrt{7}} ~ \frac{3\sqrt7}{7}
R ~ \sqrt{2}-1 ~ \frac{1}{1+\sqrt{2}}
R ~ 1+\sqrt{3} ~ \sqrt{4+2\sqrt{3}}
W ~ 1+\sqrt{3} ~ \sqrt{4+3\sqrt{3}}
R ~ \sqrt[3]{16} ~ 2\sqrt[3]{2}
R ~ \sqrt[3]{16} ~ 2 \cdot 2^{1/3}
R ~ \ln 8 ~ 3\ln 2
R ~ \ln 8 ~ 3 ln 2
W ~ \ln 8 ~ 2\ln 3
R ~ \log_2 3 ~ \frac{\ln 3}{\ln 2}
R ~ e^2 ~ e^{2}
R ~ e^2 ~ exp(2)
R ~ e ~ 2.718281828459
W ~ e ~ 2.718
R ~ \frac{\sqrt{6}+\sqrt{2}}{4} ~ \cos 15^\circ
R ~ \tan^{-1}(2) ~ \arctan 2
R ~ 16.7 ~ \frac{50}{3}
R ~ 16.7 ~ 16.67
R ~ 16.7 ~ 16.70
W ~ 16.7 ~ 16.8
W ~ 16.7 ~ 17
W ~ 16.7 ~ 16.6
W ~ 0.3 ~ \frac13
W ~ 1.5 ~ 1.51
R ~ 1.5 ~ 1.50
R ~ 1.50 ~ 1.5
R ~ 3.14 ~ \pi
R ~ 1.73 ~ \sqrt{3}
R ~ 14.1 ~ 10\sqrt{2}
W ~ 14.1 ~ 10\sqrt{3}
W ~ 314 ~ 100\pi
W ~ 16.67 ~ 16.7
R ~ \begin{pmatrix}0.319\\0.207\end{pmatrix} ~ \begin{pmatrix}0.31874\\0.20651\end{pmatrix}
W ~ \begin{pmatrix}0.319\\0.207\end{pmatrix} ~ \begin{pmatrix}0.32\\0.21\end{pmatrix}
# expressions
R ~ x^2+2x+1 ~ (x+1)^2
R ~ (x+1)^2 ~ x^2+2x+1
R ~ (x-2)(x-3) ~ (x-3)(x-2)
R ~ 2x+1 ~ 1+2x
R ~ 2x+1 ~ y = 2x+1
R ~ 2x+1 ~ f(x) = 2x + 1
R ~ 2x+1 ~ So $f(x) = 2x+1$.
R ~ 2x+1 ~ $2 \cdot x + 1$
R ~ 2x+1 ~ 2*x + 1
W ~ 2x+1 ~ 2x-1
W ~ 2x+1 ~ 2y+1
W ~ 2x+1 ~ 2x
N ~ 2x+1 ~ 2x+1 or 2x-1
R ~ x^{2} ~ x²
R ~ x^{2} ~ x**2
R ~ \frac{x}{2} ~ 0.5x
R ~ \frac{x}{2} ~ \frac{1}{2}x
R ~ \frac{1}{x+1} ~ (x+1)^{-1}
R ~ \frac{x^2-1}{x-1} ~ x+1
R ~ \frac{a}{b} ~ a/b
R ~ n(n+1)/2 ~ \frac{n^2+n}{2}
R ~ \cot^2(t)+1 ~ \csc^2(t)
R ~ \sin 2x ~ 2\sin x\cos x
R ~ \cos 2x ~ 1 - 2\sin^2 x
R ~ \cos 2x ~ 2\cos^2(x) - 1
W ~ \cos 2x ~ 2\cos^2(x) + 1
R ~ \tan x ~ \frac{\sin x}{\cos x}
R ~ \sec^2 x - 1 ~ \tan^2 x
R ~ \sin^2 x ~ \frac{1-\cos 2x}{2}
R ~ 2^{x+1} ~ 2 \cdot 2^x
R ~ e^{2x} ~ (e^x)^2
W ~ e^{2x} ~ e^{x^2}
R ~ |x| ~ \sqrt{x^2}
W ~ x ~ \sqrt{x^2}
R ~ \sin x + C ~ C + \sin(x)
R ~ \frac{x^3}{3}+C ~ \frac13 x^3 + C
W ~ \frac{x^3}{3}+C ~ \frac{x^3}{3}
R ~ \binom{10}{3} ~ 120
R ~ 5! ~ 120
R ~ 120 ~ \boxed{120}
R ~ 2^{100} ~ 2^{100}
R ~ 2^{100} ~ 4^{50}
W ~ 2^{100} ~ 2^{99}
R ~ 2^{2024}-1 ~ 2^{2024} - 1
R ~ \frac{1}{3^{80}} ~ 3^{-80}
R ~ a_1 + a_2 ~ a_2+a_1
W ~ a_1 + a_2 ~ a_1 + a_3
R ~ \alpha + \beta ~ β + α
R ~ f(x+1) ~ f(1+x)
# equations and assignments
R ~ x = 3 ~ 3
R ~ x = 3 ~ x=3
R ~ x = 3 ~ $x = 3$
R ~ x = 3 ~ x = 6/2 = 3
W ~ x = 3 ~ x = 4
W ~ x = 3 ~ y = 3
N ~ x = 3 ~ 2x = 6
N ~ x = 3 ~ 2x + 1 = 7
N ~ x = 3 ~ x = 3 or x = 4
R ~ y = 2x + 1 ~ 2x + 1
R ~ y = 2x + 1 ~ y = 1 + 2x
R ~ y = 2x + 1 ~ 2x - y + 1 = 0
R ~ y = 2x + 1 ~ y - 1 = 2x
W ~ y = 2x + 1 ~ y = 2x - 1
R ~ 2x+3y-5=0 ~ 2x + 3y = 5
R ~ 2x+3y-5=0 ~ 4x + 6y = 10
R ~ 2x+3y-5=0 ~ The line is $y = \frac{5 - 2x}{3}$.
R ~ 2x+3y-5=0 ~ 5 = 2x + 3y
W ~ 2x+3y-5=0 ~ 2x + 3y = 6
N ~ 2x+3y-5=0 ~ 2x + 3y - 5
R ~ x^2+y^2=25 ~ \frac{x^2}{25} + \frac{y^2}{25} = 1
R ~ \frac{x^2}{9}+\frac{y^2}{4}=1 ~ 4x^2+9y^2=36
W ~ \frac{x^2}{9}+\frac{y^2}{4}=1 ~ \frac{x^2}{4}+\frac{y^2}{9}=1
R ~ y = \frac{1}{x} ~ xy = 1
W ~ x = 1 ~ x(x-1) = 0
R ~ n = 11, m = 3 ~ m = 3, n = 11
R ~ n = 11, m = 3 ~ $m=3$ and $n=11$
R ~ n = 11, m = 3 ~ \boxed{n = 11} and \boxed{m = 3}
R ~ n = 11, m = 3 ~ (m, n) = (3, 11)
W ~ n = 11, m = 3 ~ m = 11, n = 3
N ~ n = 11, m = 3 ~ n = 11
W ~ n = 11, m = 3 ~ n = 11, m = 3, k = 1
N ~ g(t) = 0 ~ for every t > 3 we have g(t) = 0
N ~ g(t) = 0 ~ If t > 3 then $g(t) = 0$.
R ~ g(t) = 0 ~ so g(t) = 0
R ~ g(t) = 0 ~ \boxed{g(t) = 0}
N ~ 7 ~ x + 3 = 7 ~ Solve x + 3 = 7.
R ~ 7 ~ a + b = 7 ~ If a = 3 and b = 4, find a + b.
R ~ x \equiv 3 \pmod 5 ~ x \equiv 3 \pmod{5}
R ~ x \equiv 3 \pmod 5 ~ x \equiv 8 \pmod 5
W ~ x \equiv 3 \pmod 5 ~ x \equiv 3 \pmod 7
W ~ x \equiv 3 \pmod 5 ~ x \equiv 2 \pmod 5
N ~ x \equiv 3 \pmod 5 ~ x = 3
# plus and minus, lists, sets
R ~ \pm 3 ~ 3, -3
R ~ \pm 3 ~ x = \pm 3
R ~ \pm 3 ~ ±3
R ~ \pm 3 ~ x = 3 or x = -3
R ~ \pm 3 ~ \{-3, 3\}
N ~ \pm 3 ~ 3
N ~ \pm 3 ~ -3
R ~ 2 \pm \sqrt{3} ~ 2 + \sqrt3, 2 - \sqrt3
R ~ 2,5,7 ~ \boxed{7, 2, 5}
R ~ 2,5,7 ~ 2; 5; 7
R ~ 2,5,7 ~ 2, 5, and 7
R ~ 2,5,7 ~ x = 2, 5, 7
R ~ 2,5,7 ~ $x=2$, $x=5$ and $x=7$
R ~ 2,5,7 ~ The roots are 2, 5 and 7.
R ~ 2,5,7 ~ \boxed{2}, \boxed{5}, \boxed{7}
R ~ 2,5,7 ~ \{2,5,7\}
R ~ 2,5,7 ~ 2、5、7
W ~ 2,5,7 ~ 2,5
W ~ 2,5,7 ~ 2,5,7,9
W ~ 2,5,7 ~ 2,5,8
N ~ 2,5,7 ~ 2
N ~ 2,5,7 ~ (2,5,7)
R ~ -7,4 ~ \boxed{4} and \boxed{-7}
R ~ -7,4 ~ \boxed{4}, \boxed{-7}
R ~ -7,4 ~ $\boxed{4} \text{ and } \boxed{-7}$
N ~ -7,4 ~ \boxed{4}
W ~ -7,4 ~ \boxed{4} and \boxed{7}
N ~ -7,4 ~ \boxed{4}⏎⏎\boxed{-7}
R ~ x = 1 \text{ or } x = 2 ~ 1, 2
R ~ x = 1 \text{ or } x = 2 ~ x = 2 or x = 1
R ~ x = 1, 2 ~ x = 1 or 2
N ~ x = 1 \text{ or } x = 2 ~ x = 1
R ~ \{2, 5\} ~ \{5, 2\}
R ~ \{2, 5\} ~ {2, 5}
R ~ \{2, 5\} ~ \{2, 5, 5\}
R ~ \{2, 5\} ~ \{2\} \cup \{5\}
R ~ \{2, 5\} ~ \left\{ 2, 5 \right\}
R ~ \{2, 5\} ~ x \in \{2, 5\}
R ~ \{2, 5\} ~ S = \{5, 2\}
W ~ \{2, 5\} ~ \{2, 5, 9\}
W ~ \{2, 5\} ~ \{2\}
N ~ \{2, 5\} ~ (2, 5)
N ~ \{2, 5\} ~ [2, 5]
N ~ \{2, 5\} ~ 2
R ~ \{1,3\} \cup \{2,5\} ~ \{1,2,3,5\}
R ~ \{1000, 2000\} ~ \{1,000, 2,000\}
R ~ \{1,100\} ~ \{100,1\}
R ~ \emptyset ~ \varnothing
R ~ \emptyset ~ no solution
R ~ \emptyset ~ \{\}
R ~ \text{no solution} ~ No solution.
N ~ \emptyset ~ 0
N ~ \emptyset ~ \{0\}
R ~ \{\frac12, \sqrt2\} ~ \{\sqrt{2}, 0.5\}
N ~ 1, 2, \ldots, n ~ 2, 4, 6, \ldots, 2n
R ~ 1, 2, \ldots, n ~ 1, 2, ..., n
N ~ 1, 2, \ldots, n ~ 1, 2, \ldots, m
R ~ 3;4 ~ \{3, 4\}
# tuples, intervals, inequalities
R ~ (1,4) ~ (1, 4)
R ~ (1,4) ~ \left(1,4\right)
R ~ (1,4) ~ 1 < x < 4
R ~ (1,4) ~ x \in (1, 4)
R ~ (1,4) ~ (x, y) = (1, 4)
R ~ (1,4) ~ ]1,4[
N ~ (1,4) ~ 1, 4
N ~ (1,4) ~ \{1, 4\}
W ~ (1,4) ~ (4, 1)
W ~ (1,4) ~ [1,4]
W ~ (1,4) ~ [1,4)
W ~ (1,4) ~ 1 \le x < 4
W ~ (0,6) ~ [0,6)
R ~ [0,6) ~ 0 \le x < 6
R ~ [0,6) ~ [0, 6[
R ~ [0,6) ~ $x \in [0, 6)$
R ~ [0,6) ~ 0 ≤ x < 6
W ~ [0,6) ~ (0,6)
W ~ [0,6) ~ [0,6]
W ~ [0,6) ~ [0,7)
R ~ (3, -2) ~ (3,-2)
R ~ (3, -2) ~ The point is (3, -2).
R ~ (3, -2) ~ $P = (3, -2)$
R ~ (3, -2) ~ (3.0, -2.0)
N ~ (3, -2) ~ 3, -2
W ~ (3, -2) ~ (-2, 3)
R ~ (\frac{1}{2}, \sqrt{3}) ~ (0.5, \sqrt3)
R ~ (1,2,3) ~ (1, 2, 3)
W ~ (1,2,3) ~ (1,2)
N ~ (1,2,3) ~ \{1,2,3\}
N ~ (1,2,3) ~ [1,2,3]
R ~ [1,2,3] ~ [1, 2, 3]
W ~ [1,2,3] ~ [3, 2, 1]
R ~ (1,2), (3,4) ~ (3,4), (1,2)
W ~ (1,2), (3,4) ~ (2,1), (3,4)
R ~ \langle 1, 2 \rangle ~ ⟨1, 2⟩
R ~ x > 3 ~ (3, \infty)
R ~ x > 3 ~ 3 < x
R ~ x > 3 ~ x>3
R ~ x > 3 ~ (3, +∞)
W ~ x > 3 ~ x \ge 3
W ~ x > 3 ~ x < 3
W ~ x > 3 ~ [3, \infty)
N ~ x > 3 ~ 2x > 6
N ~ x > 3 ~ 3
N ~ x > 3 ~ x = 3
R ~ x \le -1 \text{ or } x \ge 2 ~ (-\infty, -1] \cup [2, \infty)
R ~ (-\infty, -1] \cup [2, \infty) ~ [2, ∞) ∪ (-∞, -1]
R ~ (-\infty, -1] \cup [2, \infty) ~ x ≤ -1 or x ≥ 2
W ~ (-\infty, -1] \cup [2, \infty) ~ (-\infty, -1) \cup [2, \infty)
W ~ (-\infty, -1] \cup [2, \infty) ~ [2, \infty)
R ~ (-\infty, 0) \cup (0, \infty) ~ x \ne 0
R ~ (-\infty, 0) \cup (0, \infty) ~ \mathbb{R} \setminus \{0\}
R ~ (-\infty, \infty) ~ \mathbb{R}
R ~ \mathbb{R} ~ all real numbers
R ~ (1, 3) ~ \{x \mid 1 < x < 3\}
R ~ [1, \sqrt{5}] ~ 1 \le x \le \sqrt5
R ~ x + y \ge 3 ~ y + x \ge 3
R ~ x + y \ge 3 ~ 3 \le x + y
W ~ x + y \ge 3 ~ x + y \le 3
W ~ x + y \ge 3 ~ x + y > 3
# matrices
R ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ \begin{bmatrix}2 & 0 \\ 0 & 5\end{bmatrix}
R ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ [[2, 0], [0, 5]]
R ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ \boxed{\begin{pmatrix} 2 & 0 \\ 0 & 5 \end{pmatrix}}
R ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ A = \begin{pmatrix}2&0\\0&5\end{pmatrix}
R ~ \begin{pmatrix}\frac12 & 0 \\ 0 & 5\end{pmatrix} ~ \begin{pmatrix}0.5 & 0 \\ 0 & 5\end{pmatrix}
W ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ \begin{pmatrix}2 & 0 \\ 5 & 0\end{pmatrix}
W ~ \begin{pmatrix}1\\2\end{pmatrix} ~ \begin{pmatrix}1 & 2\end{pmatrix}
N ~ \begin{pmatrix}1\\2\end{pmatrix} ~ (1, 2)
N ~ \begin{pmatrix}2 & 0 \\ 0 & 5\end{pmatrix} ~ 2, 0, 0, 5
# complex, infinity, bases
R ~ 8 - 3i ~ 8.0 + -3.0i
R ~ 8 - 3i ~ -3i + 8
R ~ 8 - 3i ~ z = 8 - 3i
W ~ 8 - 3i ~ 8 + 3i
N ~ 8 - 3i ~ (8, -3)
R ~ i ~ \sqrt{-1}
R ~ 2i ~ \sqrt{-4}
R ~ \frac{1}{2} + \frac{\sqrt{3}}{2}i ~ e^{i\pi/3}
R ~ \frac{1+i}{2} ~ \frac{1}{1-i}
R ~ \infty ~ ∞
R ~ \infty ~ infinity
R ~ \infty ~ +\infty
W ~ \infty ~ -\infty
W ~ -\infty ~ \infty
N ~ \infty ~ 1000000
R ~ 25_8 ~ 25_8
R ~ 25_8 ~ 25_{8}
R ~ 25_8 ~ \boxed{25_8}
W ~ 25_8 ~ 25_6
W ~ 25_8 ~ 26_8
N ~ 25_8 ~ 21
R ~ 1A_{16} ~ 1a_{16}
R ~ 101_2 ~ 5 = 101_2
N ~ 25 ~ 25_8
N ~ 21 ~ 25_8
R ~ 101_2 ~ 101 ~ Write five in base 2.
# words
R ~ \text{Thursday} ~ Thursday
R ~ \text{Thursday} ~ \boxed{Thursday}
R ~ \text{Thursday} ~ The day is Thursday.
R ~ Tuesday ~ \boxed{\text{Tuesday}}
R ~ Tuesday ~ tuesday
W ~ \text{Sun} ~ \boxed{\text{Sunday}}
W ~ \text{Sunday} ~ \boxed{\text{Sun}}
W ~ \text{even} ~ \boxed{\text{odd}}
N ~ \text{even} ~ \boxed{\text{even or odd}}
N ~ \text{even} ~ \boxed{\text{not even}}
R ~ \text{even} ~ even
R ~ \text{Yes} ~ yes
W ~ \text{Yes} ~ no
R ~ \text{(B)} ~ B
R ~ B ~ \boxed{\text{(B)}}
W ~ B ~ \boxed{C}
R ~ \text{Evelyn} ~ \boxed{Evelyn}
R ~ \text{John Smith} ~ John Smith
W ~ \text{John Smith} ~ John
N ~ 42 ~ I don't know.
N ~ 42 ~ no idea
N ~ 42 ~ \boxed{no idea at all}
N ~ 42 ~ ANSWER:
# the same kinds, other instances
N ~ 4 ~ Answer: x = 9, 4
N ~ 4 ~ x \in \{9, 4\}
N ~ 4 ~ \boxed{9\text{ or }4}
N ~ 4 ~ \boxed{9 \vee 4}
N ~ 4 ~ \boxed{9/4}
N ~ 4 ~ \boxed{4 \text{ or maybe } 9}
N ~ 4 ~ either 9 or 4
N ~ 4 ~ 9 and 4
N ~ 4 ~ x_1 = 9, x_2 = 4
N ~ 4 ~ $x_1 = 9$ and $x_2 = 4$
N ~ 4 ~ x = 9; x = 4
N ~ 4 ~ The answers are 9 and 4.
N ~ 4 ~ The answer is 9, 4
R ~ 4,9 ~ x_1 = 9, x_2 = 4
R ~ 4,9 ~ $x_1 = 9$, $x_2 = 4$
R ~ 4,9 ~ The solutions are $x = 9$ and $x = 4$.
R ~ 4,9 ~ \boxed{x=4,9}
R ~ 4,9 ~ x=4 \text{ or } x=9
R ~ 4,9 ~ 4 and 9
R ~ \frac{1}{2} ~ \frac12
R ~ \frac{1}{2} ~ 1/2.
R ~ \frac{1}{2} ~ 0.50
R ~ 0.5 ~ \frac{1}{2}
R ~ 12 ~ 12.0
R ~ 12 ~ \boxed{12\,\text{cm}}
R ~ 12 ~ $12$ square units
N ~ 5 ~ 5 cm = 50 mm
R ~ 3,5 ~ \{3,5\}
N ~ (3,5) ~ \{3,5\}
N ~ [3,5] ~ (3,5)
N ~ (3,5) ~ [3,5]
N ~ (3,5) ~ 3<x\le5
R ~ [3,5] ~ 3\le x\le5
R ~ \{x \mid x \neq 2\} ~ x \neq 2
R ~ (-\infty,2)\cup(2,\infty) ~ x \ne 2
R ~ x<-1 \text{ or } x>1 ~ (-\infty,-1)\cup(1,\infty)
N ~ 5 ~ 5.00001
N ~ 5 ~ 4.999999999
N ~ 0.00001 ~ 0.00002
N ~ 1000000 ~ 1000001
N ~ \frac{1}{7} ~ 0.142857
R ~ 3.142 ~ \pi
R ~ 3.142 ~ 3.1416
N ~ 3.142 ~ 3.14
R ~ 3 \times 10^8 ~ 300000000
R ~ 3 \times 10^8 ~ 3e8
R ~ 3 \times 10^8 ~ 300,000,000
R ~ 2^{10} ~ 1024
R ~ 1024 ~ 2^{10}
N ~ \frac{2}{3} ~ 66.7\%
R ~ \frac{2}{3} ~ \frac{200}{3}\%
N ~ 20\% ~ 20
R ~ 20\% ~ \frac{1}{5}
N ~ 50 ~ 50\%
R ~ 0.5 ~ 50 percent
N ~ 0.5 ~ 0.5%
R ~ x=\frac{-1\pm\sqrt{5}}{2} ~ \frac{-1+\sqrt5}{2}, \frac{-1-\sqrt5}{2}
R ~ \frac{-1\pm\sqrt{5}}{2} ~ x = \frac{-1 \pm \sqrt{5}}{2}
N ~ \frac{-1\pm\sqrt{5}}{2} ~ \frac{-1+\sqrt5}{2}
R ~ \frac{3\sqrt{3}}{4} ~ \frac{3 \sqrt3}{4}
R ~ \frac{3\sqrt{3}}{4} ~ \frac{3}{4}\sqrt{3}
R ~ \frac{3\sqrt{3}}{4} ~ 0.75\sqrt{3}
R ~ \sqrt{50} ~ 5\sqrt{2}
R ~ \frac{\sqrt{2}}{2} ~ \sin 45^\circ
R ~ 10! ~ 3628800
R ~ \binom{5}{2} ~ 10
N ~ 11 ~ \binom{5}{2}
R ~ \log_2 5 ~ \frac{\log 5}{\log 2}
R ~ \ln(2) ~ \ln 2
R ~ e^{\ln 2} ~ 2
R ~ y=x^2-4x+3 ~ y=(x-1)(x-3)
R ~ y=x^2-4x+3 ~ x^2-4x+3
R ~ (x-1)^2+(y+2)^2=9 ~ x^2+y^2-2x+4y-4=0
N ~ (x-1)^2+(y+2)^2=9 ~ (x+1)^2+(y-2)^2=9
N ~ y=2x ~ 0=0
N ~ y=2x ~ x=x
R ~ a=1,b=2 ~ b=2, a=1
R ~ a=1,b=2 ~ (a,b)=(1,2)
N ~ a=1,b=2 ~ 1,2
N ~ a=1,b=2 ~ a=2,b=1
R ~ (1,2) ~ (x,y)=(1,2)
R ~ (1,2) ~ (x, y) = (1, 2)
R ~ \begin{bmatrix}1&2\\3&4\end{bmatrix} ~ \begin{pmatrix}1&2\\3&4\end{pmatrix}
N ~ \begin{bmatrix}1&2\\3&4\end{bmatrix} ~ \begin{pmatrix}1&3\\2&4\end{pmatrix}
R ~ \begin{pmatrix}1\\2\end{pmatrix} ~ \begin{bmatrix} 1 \\ 2 \end{bmatrix}
R ~ 3+4i ~ 4i+3
N ~ 3+4i ~ 3-4i
R ~ 3+4i ~ (3+4i)
R ~ \text{even} ~ \text{Even}
R ~ \text{Monday} ~ Monday.
N ~ \text{Monday} ~ Monday or Tuesday
N ~ \text{Mon} ~ Monday
R ~ \text{yes} ~ Yes.
R ~ 45 ~ 45 minutes
N ~ 45 \text{ minutes} ~ 45 hours
R ~ 1.5 \text{ hours} ~ 90 minutes
R ~ \$1.50 ~ 150 cents
N ~ \$150 ~ 150 cents
R ~ \$150 ~ 150 dollars
N ~ 17 ~ 1,7
N ~ 1234 ~ 12,34
R ~ 1234.5 ~ 1,234.5
N ~ 1.234 ~ 1,234
N ~ 1234 ~ 1.234
R ~ -3 ~ −3
R ~ -3 ~ \boxed{-3}
R ~ -3 ~ x = −3
N ~ 3 ~ −3
R ~ π/2 ~ \frac{\pi}{2}
R ~ ½ ~ 0.5
R ~ 2½ ~ \frac{5}{2}
R ~ x² ~ x^2
R ~ √2 ~ \sqrt{2}
R ~ 90° ~ 90^\circ
R ~ ９ ~ 9
R ~ 九 ~ 9
R ~ 二十一 ~ 21
R ~ 3个 ~ 3
R ~ 3 ~ 3个苹果
R ~ 5 ~ 答案：5
R ~ 5 ~ 答案是 $5$。
R ~ 5 ~ 所以答案为5元
R ~ \frac{1}{3} ~ 三分之一
N ~ 5 ~ <think>5
R ~ 5 ~ <think>blah</think>⏎The answer is $\boxed{5}$
N ~ 5 ~ <think>so 5</think>
N ~ 5 ~ $\boxed{\text{not }5}$
N ~ 5 ~ \boxed{5}? No, 6.
R ~ 6 ~ \boxed{5}. Wait, that is wrong: \boxed{6}
R ~ \frac{a+b}{2} ~ (a+b)/2
R ~ \frac{a+b}{2} ~ 0.5(a+b)
R ~ \frac{a+b}{2} ~ \frac{1}{2}(a+b)
N ~ \frac{a+b}{2} ~ a+b/2
R ~ 2^{n}-1 ~ 2^n - 1
R ~ n(n-1) ~ n^2-n
R ~ \frac{1}{1-x} ~ -\frac{1}{x-1}
N ~ 7 ~ 8 - 1
N ~ 7 ~ \sqrt{49}
N ~ 7 ~ 14/2
N ~ 7 ~ 2x = 14
N ~ 7 ~ |{-7}|
N ~ \frac{7}{2} ~ 3 + 1/2
R ~ \frac{7}{2} ~ 3 1/2
R ~ \frac{7}{2} ~ 7/2
R ~ \frac{7}{2} ~ 3.5
R ~ [-1,1] ~ -1 \leq x \leq 1
R ~ [-1,1] ~ x \in [-1, 1]
R ~ \emptyset ~ \text{No solution}
R ~ \text{No solution} ~ \emptyset
R ~ \text{undefined} ~ undefined
R ~ 1:2 ~ 1:2
N ~ 1:2 ~ 2:1
R ~ 12:30 ~ 12:30
R ~ 11_2 ~ 11_2
N ~ 11_2 ~ 11_3
N ~ 3 ~ 11_2
R ~ FF_{16} ~ FF_{16}
R ~ 25_8 ~ 25_{(8)}
R ~ x \ge 2 ~ x≥2
R ~ x \ge 2 ~ x >= 2
R ~ x \ge 2 ~ [2,+\infty)
# what is committed
R ~ 12 ~ 5+7=12⏎#### 12⏎The steps above were checked once more.
R ~ 15 ~ I will put it in \boxed form. The total is $\boxed{15}$.
N ~ 18 ~ \boxed{17}⏎Final Answer: The final answer is $18$. I hope it is correct.
R ~ 18 ~ \boxed{17}⏎Wait, I made a mistake.⏎\boxed{18}
R ~ 64 ~ That makes 64, counting the spare, for the wall.
R ~ 64 ~ She ends with 64 shells, roughly sorted by size.
R ~ -6 ~ That leaves us at -6
R ~ \frac{1}{2} ~ So the answer is \frac{1}{2}.
R ~ \frac{1}{2} ~ The probability is $\frac{1}{2}$, since the coin is fair.
R ~ \frac{1}{2} ~ Therefore, the value of $x$ is $\frac{1}{2}$.
R ~ \frac{1}{2} ~ So for $n = 3$ we get $\frac{1}{2}$.
N ~ \frac{1}{2} ~ It is either $\frac{1}{2}$ or $\frac{1}{3}$.
N ~ \frac{1}{2} ~ It is not $\frac{1}{2}$.
N ~ \frac{1}{2} ~ It could be $\frac{1}{2}$.
N ~ \frac{1}{2} ~ half of $\frac{1}{2}$
N ~ 5 ~ Answer: x = 5 or x = 6
N ~ 5 ~ Answer: 5 (or maybe 6)
N ~ 5 ~ The answer is 5 or 6.
N ~ 80 ~ 8 * 10 ~ What is 8 * 10?
R ~ 80 ~ 8 * 10 = 80 ~ What is 8 * 10?
N ~ 1024 ~ 2^{10} ~ Compute $2^{10}$.
N ~ (x-2)(x-3) ~ x^2-5x+6 ~ Factor $x^2-5x+6$.
N ~ (x-2)(x-3) ~ 6 - 5x + x^2 ~ Factor $x^2-5x+6$.
R ~ (x-2)(x-3) ~ (x-3)(x-2) ~ Factor $x^2-5x+6$.
N ~ 3\sqrt{2} ~ \sqrt{18} ~ Simplify $\sqrt{18}$.
R ~ 3\sqrt{2} ~ 3\sqrt{2} ~ Simplify $\sqrt{18}$.
N ~ y = 2x+1 ~ 2x - y + 1 = 0 ~ Solve $2x - y + 1 = 0$ for $y$.
N ~ \frac{3}{4} ~ \frac{6}{8} ~ Simplify $\frac{6}{8}$.
# the same kinds once more: a name before the value, what stands beside a box, brackets and commas, "about"
R ~ 34 ~ Final Answer: The largest $n$ is 34.
R ~ 19 ~ The maximum number of points in the domain of $f(x)$ is 19.
R ~ 120 ~ The volume of $ABCDEFGH$ is 120. I hope it is correct.
R ~ 2x+1 ~ The value of $f(x)$ is 2x+1.
N ~ 34 ~ The largest $n$ is not 34.
N ~ 34 ~ The largest $n$ is 34 or 35.
W ~ 34 ~ The largest $n$ is 35.
N ~ 34 ~ The largest $n$ is less than 34.
R ~ 12 ~ Hence there are 12 distinct sequences. I hope it is correct.
N ~ 12 ~ I hope it is correct.
R ~ $[-36,104]$ ~ The interval is \(\boxed{[-36, 104]}\).
R ~ (-36,104) ~ (-36, 104)
R ~ \{-1,200\} ~ \{-1, 200\}
N ~ -36104 ~ [-36,104]
R ~ -8750 ~ x = -8,750
R ~ $1/3$ ~ $\cfrac{1}{3} $
R ~ $\sqrt{3}$ ~ $ \sqrt3$
N ~ 5 ~ $5 or $6
R ~ 28\% ~ 28 pct
R ~ 28\% ~ 28 percentage
R ~ 28\% ~ $\boxed{28}$ percent
R ~ 28\% ~ \boxed{28}\%
R ~ 0.28 ~ $\boxed{28 pct}$
N ~ 28 ~ 28 pct
N ~ 28 ~ 28 percentage
N ~ 28\% ~ \boxed{0.28} percent
N ~ 28\% ~ 28 percentage points
R ~ 4/90 ~ 4 4/9%
R ~ 5 ~ 5m²
R ~ 1000.99 ~ It is 1,000.99m²
W ~ 5 ~ 5x²
R ~ x = 1/3 ~ $x = \frac13 \approx 0.333$
R ~ \frac{1}{3} ~ $\frac13 \approx 0.33$
N ~ \frac{1}{3} ~ $\frac13 \approx 0.34$
N ~ \frac{1}{3} ~ \frac{1}{2} \approx 0.33
R ~ 0.333 ~ $\frac13 \approx 0.333$
R ~ \pi ~ $\pi \approx 3.14$
R ~ x_1 = 1, x_2 = 2 ~ 2, 1
R ~ x_1 = \frac12, x_2 = 2 ~ \boxed{2} and \boxed{\frac12}
N ~ x_1 = 1, x_2 = 2 ~ 1
N ~ x_1 = 1, x_2 = 2 ~ 1, 2, 3
N ~ a_3 = 2, a_{37} = 19 ~ 2, 19
R ~ f(2) < f(1) < f(4) ~ \boxed{f(4) > f(1) > f(2)}
W ~ a < b < c ~ b < a < c
R ~ 15 ~ Put your final answer in \boxed{}. The total is \boxed{15}.
N ~ 15 ~ \boxed{15} \boxed{}
N ~ 15 ~ The total is 15. \boxed{}
R ~ 15 ~ \framebox{15}
R ~ 8\sqrt{6} ~ \beginboxed{8\sqrt{6}}
R ~ 64 ~ She has 64 coins left over.
R ~ 64 ~ That is 64 in all, not counting the broken ones.
N ~ 64 ~ not counting 64
W ~ 1 - \frac{1}{\mathrm{e}} ~ 1 + \frac{1}{\mathrm{e}}
N ~ 1, 2, 3 ~ 1, 2, 3, ...
W ~ (1, +\infty) ~ (1, -\infty)
W ~ (-\infty, 3] ~ (-∞, 4]
X ~ nan ~ nan
X ~ null ~ null
X ~ 1 + ~ 1
W ~ x^2+1 ~ e^{e^{e^{e^{e}}}}
N ~ \sin x ~ 2^{e^{e^{e^{e}}}}
X ~ [image] ~ 42
X ~ [graph omitted] ~ 42
X ~ (see the figure) ~ 42
N ~ g(x) = 3 ~ g(x) = 3 when x is positive
N ~ y = 2x ~ y = 2x unless x is zero
R ~ 5 ~ It is 5 when rounded.
R ~ 5 ~ There are 5 if we count both.
"""


def rows():
    """(status, gold, answer, question), line breaks put back."""
    out = []
    for line in CASES.strip("\n").split("\n"):
        if line.startswith("#") or not line.strip():
            continue
        status, gold, answer, *question = (part.strip() for part in line.split(" ~ "))
        out.append((status, gold, answer.replace("⏎", "\n"), question[0] if question else ""))
    return out
