"""Rows like UCI Adult's: 15 columns, six numbers, eight texts, two classes."""

import random

HEADER = (
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,"
    "capital_gain,capital_loss,hours_per_week,native_country,income\n"
)
WORKCLASS = ["Private", "Self-emp-not-inc", "Local-gov", "?", "State-gov", "Self-emp-inc", "Federal-gov"]
EDUCATION = ["HS-grad", "Some-college", "Bachelors", "Masters", "Assoc-voc", "11th", "Assoc-acdm", "10th", "7th-8th"]
MARITAL = ["Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed", "Married-spouse-absent"]
OCCUPATION = [
    "Prof-specialty", "Craft-repair", "Exec-managerial", "Adm-clerical", "Sales", "Other-service",
    "Machine-op-inspct", "?", "Transport-moving", "Handlers-cleaners", "Farming-fishing", "Tech-support",
]
RELATIONSHIP = ["Husband", "Not-in-family", "Own-child", "Unmarried", "Wife", "Other-relative"]
RACE = ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]
COUNTRY = ["United-States"] * 30 + ["Mexico", "?", "Philippines", "Germany", "Canada", "Puerto-Rico", "El-Salvador", "India"]


def row(rng):
    """One line, with its line end."""
    education = rng.randrange(len(EDUCATION))
    gain = rng.randrange(1, 99999) if rng.random() < 0.08 else 0
    loss = rng.randrange(1, 4356) if rng.random() < 0.05 else 0
    return (
        f"{rng.randrange(17, 91)},{rng.choice(WORKCLASS)},{rng.randrange(12285, 1484705)},{EDUCATION[education]},"
        f"{education + 5},{rng.choice(MARITAL)},{rng.choice(OCCUPATION)},{rng.choice(RELATIONSHIP)},{rng.choice(RACE)},"
        f"{'Male' if rng.random() < 0.67 else 'Female'},{gain},{loss},{rng.randrange(1, 100)},{rng.choice(COUNTRY)},"
        f"{'>50K' if rng.random() < 0.24 else '<=50K'}\n"
    )


def write(path, size, seed=1):
    """Writes about `size` bytes: 20,000 distinct rows in many random orders."""
    rng = random.Random(seed)
    rows = [row(rng) for _ in range(20_000)]
    written = len(HEADER)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEADER)
        while written < size:
            rng.shuffle(rows)
            block = "".join(rows)
            file.write(block)
            written += len(block)
