/** The body of a request, with its content type. */
export interface SentBody {
  /** Makes the body at the time of sending. */
  bytes: () => Uint8Array | Promise<Uint8Array>;
  type: string;
}

export const textBody = (text: string, type: string): SentBody => ({
  bytes: () => new TextEncoder().encode(text),
  type,
});

/** Makes a multipart body. Only its content type has the boundary between the parts. */
export function multipartBody(form: FormData): SentBody {
  const encoded = new Response(form);
  return {
    bytes: async () => new Uint8Array(await encoded.arrayBuffer()),
    type: encoded.headers.get('content-type') ?? 'multipart/form-data',
  };
}
