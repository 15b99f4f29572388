"""netaddr: whether it takes an address or a network, and whether one lies in a range."""

import netaddr

PARSERS = {
    "network": netaddr.IPNetwork,
    "address_with_zeros": lambda text: netaddr.IPAddress(text, flags=netaddr.ZEROFILL),
}


def parsed(sample):
    """Return ``AddrFormatError@$`` if the text is refused."""
    try:
        PARSERS[sample["parser"]](sample["text"])
    except netaddr.AddrFormatError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []


def inside(sample):
    """Return ``outside@$`` if the network is said to lie outside of the range."""
    return [] if netaddr.IPNetwork(sample["network"]) in netaddr.IPRange(*sample["range"]) else ["outside@$"]
