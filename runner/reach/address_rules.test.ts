import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, isPublicOrPrivateAddress } from './address_rules.ts';

const kindOf = (address: string): string =>
  isPublicAddress(address) ? 'public' : isPublicOrPrivateAddress(address) ? 'private' : 'forbidden';

describe('the address rules', () => {
  it.each([
    ['public', [
      '1.1.1.1',
      '93.184.216.34',
      '9.255.255.255',
      '11.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '100.63.255.255',
    ]],
    ['public', [
      '100.128.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '128.0.0.1',
      '223.255.255.255',
      '2606:4700:4700::1111',
    ]],
    ['public', ['::ffff:1.1.1.1', '64:ff9b::1.1.1.1']],
    ['private', [
      '10.0.0.0',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '127.0.0.1',
      '127.255.255.255',
    ]],
    ['private', ['100.64.0.0', '100.127.255.255', '::1', 'fc00::1', 'fdff::1', '::ffff:127.0.0.1', '::ffff:a00:1']],
    ['private', ['64:ff9b::10.0.0.1']],
    ['forbidden', [
      '0.0.0.0',
      '0.1.2.3',
      '169.254.0.1',
      '169.254.169.254',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
    ]],
    ['forbidden', [
      '255.255.255.255',
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '192.88.99.1',
    ]],
    ['forbidden', [
      '168.63.129.16',
      '100.100.100.200',
      'fd00:ec2::254',
      '::ffff:169.254.169.254',
      '64:ff9b::169.254.169.254',
    ]],
    ['forbidden', [
      '::',
      '::7f00:1',
      '::ffff:0:7f00:1',
      'fe80::1',
      'fe80::1%lo',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
      '100::1',
    ]],
    // Addresses of 6to4 and Teredo, which contain an IPv4 address, and of local NAT64 prefixes.
    ['forbidden', ['2002:7f00:1::', '2002:101:101::', '2001:0:4136:e378::1', '64:ff9b:1::a00:1', '5f00::1', '4000::1']],
    ['forbidden', ['', 'localhost', '1.2.3', '127.1', '010.8.8.8', '0x8.8.8.8', '1.2.3.4.5', 'a.b.c.d', '1.2.3.256']],
  ])('call %s: %j', (kind, addresses) => {
    expect(addresses.map((address) => [address, kindOf(address)])).toEqual(addresses.map((address) => [address, kind]));
  });

  it('treat an IPv4 address the same in plain, mapped and translated form', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => {
      expect([`::ffff:${address}`, `64:ff9b::${address}`].map(kindOf)).toEqual([kindOf(address), kindOf(address)]);
    }));
  });
});
