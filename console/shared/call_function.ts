import type { Api } from './api.tsx';

/** Posts to an Edge Function. Throws the error in the body of its answer. */
export async function callFunction<Result>({ db }: Api, path: string, body: Record<string, unknown>): Promise<Result> {
  const { data, error } = await db.functions.invoke<Result>(path, { body });
  if (error === null) return data as Result;
  throw error.context instanceof Response ? await error.context.json().catch(() => error) : error;
}
