import { describe, expect, it } from 'vitest';
import { describeAction, solText } from './describe_action.ts';
import { readPublicAddress } from '../../platform/public_address.ts';

const address = readPublicAddress('action', () => undefined, 'https://example.supabase.co');
const [a, b] = ['da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', '11111111111111111111111111111111'];
type Fees = Parameters<typeof describeAction>[0]['fees'];
const show = (more: { name?: string; description?: string; icon_url?: string | null; fees?: Fees }) =>
  describeAction(
    { name: 'Shop', description: 'Pay.', icon_url: null, fees: [], ...more } as Parameters<typeof describeAction>[0],
    address,
  );

describe('the description of an action', () => {
  it('holds the name, description and icon of the deployment, or default ones', () => {
    expect(show({ icon_url: 'https://shop.example/icon.png' })).toEqual({
      icon: 'https://shop.example/icon.png',
      title: 'Shop',
      description: 'Pay.',
    });
    expect(show({ name: ' ', description: '' })).toEqual({
      icon: 'https://example.supabase.co/functions/v1/action/icon.svg',
      title: 'Solana action',
      description: 'Makes a transaction for your wallet to sign.',
    });
  });

  it('names the fees', () => {
    const fee = 'On top of it you pay a fee of';
    expect(show({ fees: [[a, 1_500_000]] }).description).toBe(`Pay.\n\n${fee} 0.0015 SOL to ${a}.`);
    expect(show({ fees: [[a, 1], [b, 1_000_000_000], [b, 2]] }).description)
      .toBe(`Pay.\n\n${fee} 1.000000003 SOL to 2 recipients.`);
    expect(show({ fees: [[a, 0]] }).description).toBe('Pay.');
  });

  it.each([[0n, '0'], [1n, '0.000000001'], [10n ** 9n, '1'], [2n ** 64n - 1n, '18446744073.709551615']])(
    'writes %s lamports as SOL',
    (lamports, text) => {
      expect(solText(lamports)).toBe(text);
    },
  );
});

describe('the address of the function', () => {
  const read = (url: string) => readPublicAddress('action', () => url, 'https://example.supabase.co');

  it('is read from ACTION_URL', () => {
    expect(read('https://pay.example/')).toEqual({ url: 'https://pay.example', path: '' });
    expect(read('https://pay.example/a/b//')).toEqual({ url: 'https://pay.example/a/b', path: '/a/b' });
    expect(read('')).toEqual({ url: 'https://example.supabase.co/functions/v1/action', path: '/functions/v1/action' });
  });

  it.each(['pay.example', 'ftp://pay.example', 'https://pay.example/?x=1'])('is refused if it is %j', (url) => {
    expect(() => read(url)).toThrow('ACTION_URL');
  });
});
