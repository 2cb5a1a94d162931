import ipaddr from 'ipaddr.js';

/**
 * Addresses of cloud platforms' internal services, as far as no reserved range contains them. They belong to Azure's
 * host agent, and to the metadata services of Alibaba Cloud and (over IPv6) of AWS. The usual metadata address,
 * 169.254.169.254, is link-local.
 */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/** The ranges of private networks, by their names in ipaddr.js. */
const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/**
 * The range that holds every IPv6 address that is routed on the Internet. Source: IANA, "IPv6 Global Unicast Address
 * Assignments".
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * The range of NAT64. Routers translate an address of this range to the IPv4 address in its last 32 bits, so the IPv4
 * address is checked. Source: RFC 6052, section 2.1.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

type Kind = 'public' | 'private' | 'forbidden';

function addressKind(text: string): Kind {
  // `isValid` would also accept short and octal forms. ipaddr.js and the operating system may read such a form as
  // different addresses.
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
 * True if an IP address belongs to the public Internet. Private, loopback, link-local, shared (RFC 6598), multicast,
 * reserved and tunnel addresses are refused. An IPv6 address that contains an IPv4 address of such a range is refused,
 * too.
 */
export const isPublicAddress = (address: string): boolean => addressKind(address) === 'public';

/**
 * True if an IP address is public, or private, shared, unique local or loopback. Cloud metadata addresses are refused.
 */
export const isPublicOrPrivateAddress = (address: string): boolean => addressKind(address) !== 'forbidden';

export type IsAllowed = (address: string) => boolean;

/**
 * Returns the rule for addresses that flows may reach. Private addresses are allowed only if the operator allows them.
 */
export const addressRule = (allowsPrivateNetwork: boolean): IsAllowed =>
  allowsPrivateNetwork ? isPublicOrPrivateAddress : isPublicAddress;
