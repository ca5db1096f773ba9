"""Programs the model wrote: which one an answer commits to, the tests it must pass, one box a test, plain data back.

    answer --extraction--> program      gold --truth--> plan (tests)      program x test --running--> passed, or why not

The expected value stays in this process: a box is given inputs and gives plain typed data back (`typed`), compared
here. Left out: isolation itself (sandbox), the verdict (verifiers/code.py).
"""
