import ipaddr from 'ipaddr.js';

/**
 * Addresses of cloud platforms' internal services that lie outside the ranges for such addresses: Azure's host agent,
 * Alibaba Cloud's and AWS's metadata over IPv6. The usual one, 169.254.169.254, is link-local.
 */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/** The ranges of a machine's own network, in the words of ipaddr.js. */
const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/**
 * The range that holds every IPv6 address that is routed on the Internet. Source: IANA, "IPv6 Global Unicast Address
 * Assignments".
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Routers translate such an address to the IPv4 address in its last 32 bits, so that address has to be checked. Source:
 * RFC 6052, section 2.1.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

type Kind = 'public' | 'private' | 'forbidden';

function addressKind(text: string): Kind {
  // `isValid` would also take short and octal forms, in which ipaddr.js and the system may see different addresses.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return 'forbidden';
  const address = ipaddr.process(text);
  if (PLATFORM_ADDRESSES.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (PRIVATE_RANGES.has(range)) return 'private';
  if (address.kind() === 'ipv4') return range === 'unicast' ? 'public' : 'forbidden';
  // SAFETY: an address that is not IPv4 is IPv6.
  const address6 = address as ipaddr.IPv6;
  if (address6.match(NAT64)) return addressKind(ipaddr.fromByteArray(address6.toByteArray().slice(12)).toString());
  return range === 'unicast' && address6.match(GLOBAL_UNICAST) ? 'public' : 'forbidden';
}

/**
 * Whether an IP address belongs to the public Internet: it is not private, loopback, link-local, shared (RFC 6598),
 * multicast, reserved or of a tunnel, and neither is an IPv4 address that an IPv6 address contains.
 */
export const isPublicAddress = (address: string): boolean => addressKind(address) === 'public';

/**
 * Whether an IP address is public or of the machine's own network: private, shared, unique local or loopback. Cloud
 * metadata stays refused.
 */
export const isPublicOrPrivateAddress = (address: string): boolean => addressKind(address) !== 'forbidden';
