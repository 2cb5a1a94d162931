import { expect, it, vi } from 'vitest';

it('tells the page of a description that can’t be read', async () => {
  const told = vi.fn<(error: unknown) => void>();
  const answered = vi.fn<(described: unknown) => void>();
  let send: ((event: { data: unknown }) => void) | undefined;
  vi.stubGlobal('addEventListener', (_: string, listener: typeof send) => {
    send = listener;
  });
  vi.stubGlobal('postMessage', answered);
  vi.stubGlobal('reportError', told);
  await import('./describe_worker.ts');

  send?.({ data: { kind: 'mcp', description: undefined } });
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith(expect.any(TypeError)));
  expect(answered).not.toHaveBeenCalled();

  send?.({ data: { kind: 'openapi', description: 'none' } });
  await vi.waitFor(() => expect(answered.mock.calls[0]?.[0]).toMatchObject({ definitions: [] }));
});
