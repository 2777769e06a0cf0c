"""Where an address that a company chose may lead: to the public internet, however it is spelled."""

from ipaddress import ip_address

import pytest

from libs.outbound_http import (
    EndpointRefused,
    SystemResolver,
    check_public,
    is_public,
    parse_endpoint,
    public_addresses,
)

INWARD_SPELLINGS = [
    "http://127.0.0.1/v1",
    "http://127.1/v1",
    "http://0x7f000001/v1",
    "http://0x7f.0.0.1/v1",
    "http://2130706433/v1",
    "http://017700000001/v1",
    "http://0177.0.0.1/v1",
    "http://127.0.0.1./v1",
    "http://0/v1",
    "http://[::1]/v1",
    "http://[::]/v1",
    "http://[::ffff:127.0.0.1]/v1",
    "http://[::ffff:7f00:1]/v1",
    "http://[::127.0.0.1]/v1",
    "http://[64:ff9b::127.0.0.1]/v1",
    "http://[64:ff9b:1::10.0.0.1]/v1",
    "http://[2002:7f00:1::]/v1",
    "http://[2001:0:7f00:1::]/v1",
    "http://[fe80::1%25eth0]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://localhost/v1",
    "http://LOCALHOST./v1",
    "http://models.localhost/v1",
    "http://metadata.google.internal/v1",
    "http://169.254.169.254/v1",
    "http://100.100.100.200/v1",
    "http://168.63.129.16/v1",
    "http://１２７.0.0.1/v1",
    "http://127。0。0。1/v1",
    "http://ⓛocalhost/v1",
    "http://127%2e0%2e0%2e1/v1",
    "http://printer/v1",
]


@pytest.mark.parametrize("url", INWARD_SPELLINGS)
async def test_no_spelling_leads_inward(url):
    resolver = SystemResolver()
    with pytest.raises(EndpointRefused) as refusal:
        await check_public(parse_endpoint(url), resolver)
    resolver.close()
    assert str(refusal.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "models.example.com/v1",
        "ftp://models.example.com/v1",
        "file:///etc/passwd",
        "gopher://models.example.com/",
        "http:///v1",
        "http://",
        "//models.example.com/v1",
        "http://user@models.example.com/v1",
        "http://user:secret@models.example.com/v1",
        "http://models.example.com@127.0.0.1/v1",
        "http://models.example.com/v1?api-version=1",
        "http://models.example.com/v1#x",
        "http://models.example.com\\@127.0.0.1/v1",
        "http://models.example.com:0/v1",
        "http://models.example.com:65536/v1",
        "http://models.example.com:port/v1",
        "http://models.example.com:/v1",
        "http://models.example.com/v1\r\nHost: other",
        "http://mod els.example.com/v1",
        " http://models.example.com/v1",
        "http://models..example.com/v1",
        "http://-models.example.com/v1",
        "http://[::1/v1",
        "http://[models]/v1",
        "http://256.1.1.1/v1",
        "http://" + "a" * 64 + ".com/v1",
        "http://models.example.com/" + "a" * 2048,
    ],
)
def test_what_is_not_plainly_a_web_address_is_refused_for_everybody(url):
    with pytest.raises(EndpointRefused):
        parse_endpoint(url)


@pytest.mark.parametrize(
    ("url", "written", "host", "port"),
    [
        ("https://Models.Example.com./v1/", "https://models.example.com/v1", "models.example.com", 443),
        ("HTTP://10.0.0.7:8000", "http://10.0.0.7:8000", "10.0.0.7", 8000),
        ("http://[0:0::1]:80/v1//", "http://[::1]:80/v1", "::1", 80),
        ("http://gpu_box:11434/v1", "http://gpu_box:11434/v1", "gpu_box", 11434),
    ],
)
def test_an_address_has_one_spelling(url, written, host, port):
    endpoint = parse_endpoint(url)
    assert (endpoint.url, endpoint.host, endpoint.port) == (written, host, port)


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.9.9.9", "169.254.169.254", "172.31.255.255"),
        *("192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.19.0.1", "198.51.100.1"),
        *("203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "100::1", "fc00::1", "fe80::1", "fec0::1"),
        *("ff02::1", "2001::1", "2001:10::1", "2001:db8::1", "2002:808:808::1", "3fff::1", "5f00::1"),
    ],
)
def test_a_special_address_is_not_public(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_an_ordinary_address_is_public(address):
    assert is_public(ip_address(address))


async def test_every_address_of_a_name_is_checked(names):
    names.known = {"mixed.example.com": ["8.8.8.8", "2606:4700::1", "10.0.0.1"]}
    with pytest.raises(EndpointRefused):
        await check_public(parse_endpoint("https://mixed.example.com/v1"), names)
    names.known["mixed.example.com"].pop()
    await check_public(parse_endpoint("https://mixed.example.com/v1"), names)


async def test_a_name_that_does_not_resolve_yet_is_checked_when_it_is_used(names):
    await check_public(parse_endpoint("https://later.example.com/v1"), names)
    with pytest.raises(OSError, match="no such name"):
        await public_addresses("later.example.com", 443, names)
    names.known["later.example.com"] = []
    with pytest.raises(OSError, match="no address"):
        await public_addresses("later.example.com", 443, names)
    names.known["later.example.com"] = ["fe80::1%eth0"]
    with pytest.raises(EndpointRefused):
        await public_addresses("later.example.com", 443, names)
