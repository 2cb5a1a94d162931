import { FlowError } from '../flow_error.ts';

/** A project's address and publishable key. */
export interface Project {
  url: string;
  key: string;
}

async function post<Answer>({ url, key }: Project, path: string, body: object, token?: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      apikey: key,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  throw new FlowError({
    code: response.status === 400 ? 'sign_in_refused' : 'answer_invalid',
    status: response.status,
    message: response.status === 400
      ? 'There is no such user, or the password is wrong.'
      : `The project answers ${response.status} ${text.slice(0, 500)}`,
  });
}

/** Makes an API key for the shell, as the user of an access token. */
export const createApiKey = async (project: Project, accessToken: string): Promise<string> =>
  (await post<{ key: string }>(project, '/rest/v1/rpc/create_api_key', { name: 'flows' }, accessToken)).key;

/** Signs a user in by email and password, and makes an API key of that user. Throws a FlowError. */
export async function signIn(project: Project, email: string, password: string): Promise<string> {
  const path = '/auth/v1/token?grant_type=password';
  const { access_token } = await post<{ access_token: string }>(project, path, { email, password });
  return await createApiKey(project, access_token);
}
