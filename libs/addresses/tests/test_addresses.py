"""Keys of addresses, whatever text they come as."""

import pytest

from libs.addresses import address_key, parse_networks


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_an_address_stands_for_its_host(address, key):
    assert address_key(address) == key


def test_a_list_of_networks_is_read_or_refused_in_words():
    assert [*map(str, parse_networks("127.0.0.1, 10.0.0.0/8,"))] == ["127.0.0.1/32", "10.0.0.0/8"]
    with pytest.raises(ValueError, match="takes addresses or CIDRs"):
        parse_networks("10.0.0.1/8")
