//! Addresses that can be typed into a browser.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Where a server that listens at `bound` is found on its own machine. "All addresses" is not an address.
pub(super) fn here(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

/// Where others find it: the machine's address towards the rest of the network, where there is one.
pub(super) fn elsewhere(bound: SocketAddr) -> Option<SocketAddr> {
    let ip = bound.ip();
    if ip.is_loopback() {
        return None;
    }
    let ip = if ip.is_unspecified() { outward(ip.is_ipv4())? } else { ip };
    Some(SocketAddr::new(ip, bound.port()))
}

/// The address that a packet to another network would carry. Addresses for documentation stand for that
/// network; connecting a datagram socket looks up the route and sends nothing.
fn outward(v4: bool) -> Option<IpAddr> {
    let (any, far) = if v4 { ("0.0.0.0:0", "192.0.2.1:9") } else { ("[::]:0", "[2001:db8::1]:9") };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(far).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_become_one_that_can_be_typed() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(here(at("0.0.0.0:80")), at("127.0.0.1:80"));
        assert_eq!(here(at("[::]:80")), at("[::1]:80"));
        assert_eq!(here(at("192.0.2.7:80")), at("192.0.2.7:80"));
        assert_eq!(elsewhere(at("127.0.0.1:80")), None);
        assert_eq!(elsewhere(at("192.0.2.7:80")), Some(at("192.0.2.7:80")));
        if let Some(found) = elsewhere(at("0.0.0.0:80")) {
            assert!(!found.ip().is_unspecified() && !found.ip().is_loopback(), "{found}");
        }
    }
}
