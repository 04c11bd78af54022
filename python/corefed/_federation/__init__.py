"""What runs over Flower and over FLARE share: terms, guards, steps, and the folder they write."""
