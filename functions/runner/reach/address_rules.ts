import ipaddr from 'ipaddr.js';

/**
 * Addresses of cloud platforms' inner services that lie in ranges of another meaning: Azure's host agent, Alibaba Cloud's and
 * AWS's metadata over IPv6. The usual one, 169.254.169.254, is link-local.
 */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/** Where a machine's neighbours are, by ipaddr.js's names of the ranges. */
const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/** Every IPv6 address that is routed on the Internet lies in it. Source: IANA, "IPv6 Global Unicast Address Assignments". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Translates to the IPv4 address in its last 32 bits, so that one is what is reached. Source: RFC 6052, section 2.1. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

type Kind = 'public' | 'private' | 'forbidden';

function addressKind(text: string): Kind {
  // Not `isValid`: short and octal forms mean one address here and may mean another to the system.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return 'forbidden';
  const address = ipaddr.process(text);
  if (PLATFORM_ADDRESSES.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (PRIVATE_RANGES.has(range)) return 'private';
  if (address.kind() === 'ipv4') return range === 'unicast' ? 'public' : 'forbidden';
  // SAFETY: an address is of one of two kinds.
  const address6 = address as ipaddr.IPv6;
  if (address6.match(NAT64)) return addressKind(ipaddr.fromByteArray(address6.toByteArray().slice(12)).toString());
  return range === 'unicast' && address6.match(GLOBAL_UNICAST) ? 'public' : 'forbidden';
}

/**
 * Whether an IP address is one of the public Internet: not private, loopback, link-local, shared (RFC 6598), multicast, reserved
 * or of a tunnel, neither as it stands nor inside an IPv6 address that stands for it.
 */
export const isPublicAddress = (address: string): boolean => addressKind(address) === 'public';

/** The same, or one of the machine's own network: private, shared, unique local or loopback. Cloud metadata stays closed. */
export const isPublicOrPrivateAddress = (address: string): boolean => addressKind(address) !== 'forbidden';
