import { Refusal } from './answer.ts';

/** The most requests to Auth that an address may send within five minutes. */
export interface AuthRates {
  /** Sign-ups, one-time passwords and recoveries. */
  signUps: number;
  /** Sign-ins and refreshed tokens. */
  tokens: number;
}

/** The defaults of hosted Supabase. */
export const HOSTED_AUTH_RATES: AuthRates = Object.freeze({ signUps: 30, tokens: 150 });

const WINDOW_MS = 5 * 60_000;

/** The most requests that an address may send at once, as on hosted Supabase. */
const BURST = 30;

/** The number of remembered addresses. If a forgotten address sends a request again, it begins with a full bucket. */
const MAX_ADDRESSES = 10_000;

/** The rate for each path of Auth. The path on which the service role creates users has no rate. */
const RATE_OF_PATH: Record<string, keyof AuthRates> = {
  '/signup': 'signUps',
  '/otp': 'signUps',
  '/magiclink': 'signUps',
  '/recover': 'signUps',
  '/resend': 'signUps',
  '/token': 'tokens',
};

/** Limits requests to Auth by address. Like hosted Supabase, it has a token bucket for each rate. */
export function makeAuthLimiter(rates: AuthRates, now: () => number = () => performance.now()) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** Counts a POST to a path within Auth. Throws a Refusal if the address has sent too many requests. */
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
