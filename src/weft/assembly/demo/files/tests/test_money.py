import unittest

from till.money import parse, show


class MoneyTest(unittest.TestCase):
    def test_there_and_back(self):
        self.assertEqual(show(parse("12.50")), "12.50")
