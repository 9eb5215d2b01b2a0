"""The functions behind `import steelyard as sy` and behind the commands; one implementation of each.

The face stands above all rooms but `cli`: it joins what they do, and no other room imports it.
"""
