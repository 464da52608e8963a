import unittest

from till.basket import Basket


class BasketTest(unittest.TestCase):
    def test_total(self):
        basket = Basket()
        basket.add("tea", 350, 2)
        basket.add("scone", 275)
        self.assertEqual(basket.total(), 975)
