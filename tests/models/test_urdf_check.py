"""A URDF is checked before a library reads it: each mistake is one sentence that names the place."""

import pytest

from steelyard.errors import BadInput
from steelyard.models import read_urdf

_LINK = '<link name="{}"><inertial><mass value="{}"/><inertia {} ixy="0" ixz="0" iyz="0"/></inertial></link>'
ARM = f"""<robot name="arm">
{_LINK.format("base", 2, 'ixx="0.1" iyy="0.1" izz="0.1"')}
{_LINK.format("hand", 1, 'ixx="0.02" iyy="0.03" izz="0.04"')}
<link name="tip"/>
<joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
<joint name="end" type="fixed"><parent link="hand"/><child link="tip"/></joint>
</robot>"""


def test_a_sound_description_is_read():
    found = read_urdf(ARM)
    assert found.joints == ("wrist",)
    assert found.mass == 3.0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('ixx="0.02"', 'ixx="abc"', 'ixx of link "hand" is "abc"'),
        ('ixx="0.02"', 'ixx="nan"', 'ixx of link "hand" is "nan"'),
        ('ixx="0.02"', 'ixx="-0.02"', "not positive definite"),
        ('izz="0.04"', 'izz="0.06"', "no body has the inertia"),
        ('<mass value="1"/>', '<mass value="inf"/>', 'mass of link "hand" is "inf"'),
        ('<mass value="1"/>', '<mass value="-1"/>', "above 0"),
        ('<mass value="1"/>', "", "has no mass"),
        ('xyz="0 0 1"', 'xyz="0 0 0"', 'axis of joint "wrist" is zero'),
        ('type="revolute"', 'type="planar"', 'type "planar"'),
        ('type="revolute"', 'type="revolut"', "revolute"),
        ('name="tip"', 'name="hand"', '2 links "hand"'),
        ('name="end"', 'name="wrist"', '2 joints "wrist"'),
        ('<parent link="base"/>', '<parent link="tip"/>', "in a ring"),
        ('<child link="tip"/>', "", "needs a <parent> and a <child>"),
        ('<parent link="hand"/><child link="tip"/>', '<parent link="base"/><child link="hand"/>', "from two joints"),
    ],
)
def test_a_mistake_is_named(old, new, said):
    assert old in ARM
    with pytest.raises(BadInput, match=said):
        read_urdf(ARM.replace(old, new, 1))
