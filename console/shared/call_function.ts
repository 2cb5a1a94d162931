import type { Api } from './api.tsx';

/** Sends a POST request to an Edge Function. If the function answers with an error, throws it. */
export async function callFunction<Result>({ db }: Api, path: string, body: Record<string, unknown>): Promise<Result> {
  const { data, error } = await db.functions.invoke<Result>(path, { body });
  if (error === null) return data as Result;
  throw error.context instanceof Response ? await error.context.json().catch(() => error) : error;
}
