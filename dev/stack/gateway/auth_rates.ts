import { Refusal } from './answer.ts';

/** Requests to Auth that an address may send within five minutes. */
export interface AuthRates {
  /** Sign-ups, one-time passwords and recoveries. */
  signUps: number;
  /** Sign-ins and refreshed tokens. */
  tokens: number;
}

/** The defaults of hosted Supabase. */
export const HOSTED_AUTH_RATES: AuthRates = Object.freeze({ signUps: 30, tokens: 150 });

const WINDOW_MS = 5 * 60_000;

/** An address may send so many at once, as on hosted Supabase. */
const BURST = 30;

/** Addresses that are remembered. Whoever is forgotten begins with a full bucket. */
const MAX_ADDRESSES = 10_000;

/** Which rate a request to Auth counts for. Creating a user with the service role does not count. */
const RATE_OF_PATH: Record<string, keyof AuthRates> = {
  '/signup': 'signUps',
  '/otp': 'signUps',
  '/magiclink': 'signUps',
  '/recover': 'signUps',
  '/resend': 'signUps',
  '/token': 'tokens',
};

/** Counts requests to Auth by address: a token bucket for each rate, as hosted Supabase has. */
export function makeAuthLimiter(rates: AuthRates, now: () => number = () => performance.now()) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** Counts a POST to a path within Auth. Throws a Refusal when the address has sent too many. */
    count(path: string, address: string): void {
      const rate = Object.hasOwn(RATE_OF_PATH, path) ? RATE_OF_PATH[path] : undefined;
      if (rate === undefined) return;
      const perMs = rates[rate] / WINDOW_MS;
      const key = `${rate} ${address}`;
      const bucket = buckets.get(key);
      const time = now();
      const left = bucket === undefined ? BURST : Math.min(BURST, bucket.left + (time - bucket.at) * perMs);
      buckets.delete(key);
      if (buckets.size >= MAX_ADDRESSES) buckets.delete(buckets.keys().next().value!);
      buckets.set(key, { left: left >= 1 ? left - 1 : left, at: time });
      if (left >= 1) return;
      throw new Refusal(429, 'over_request_rate_limit', 'Request rate limit reached', {
        headers: { 'retry-after': String(Math.ceil((1 - left) / perMs / 1_000)) },
      });
    },
  };
}
