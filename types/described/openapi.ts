// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';

/** How the values of a list or an object become text. `json` writes any value as JSON. */
const styleSchema = z.enum(['simple', 'form', 'deepObject', 'spaceDelimited', 'pipeDelimited', 'json']);

const parameterSchema = z.strictObject({
  /** The input that has the value. */
  port: z.string(),
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: styleSchema,
  explode: z.boolean(),
});

export type Parameter = z.infer<typeof parameterSchema>;

const fieldSchema = z.strictObject({ port: z.string(), name: z.string() });

const bodyFieldSchema = fieldSchema.extend({
  /**
   * How a form writes lists and objects. Without this member, each element of a list is a field of its own, and an
   * object is JSON.
   */
  style: styleSchema.optional(),
  explode: z.boolean().optional(),
});

export type BodyField = z.infer<typeof bodyFieldSchema>;

const bodySchema = z.strictObject({
  kind: z.enum(['json', 'form', 'multipart', 'text', 'bytes']),
  /** The media type, such as `application/json`. */
  type: z.string(),
  required: z.boolean(),
  /** The input that has the whole body. */
  port: z.string().optional(),
  /** The members of the body, if each has an input of its own. */
  fields: z.array(bodyFieldSchema).optional(),
});

export type RequestBody = z.infer<typeof bodySchema>;

const serverSchema = z.strictObject({
  /** An absolute URL, perhaps with variables in braces. */
  url: z.string(),
  variables: z.record(z.string(), z.string()).optional(),
});

/**
 * `data.implementation` of a definition of type `openapi`: one operation of an API, as the adapter executes it.
 * `describeOpenApi` of the client makes it from an OpenAPI document.
 */
export const openApiImplementationSchema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'PATCH', 'TRACE']),
  /** The path below the server's address, with parameters in braces. */
  path: z.string().startsWith('/'),
  /** The server that is used unless the form data name another one. */
  server: serverSchema.optional(),
  parameters: z.array(parameterSchema),
  body: bodySchema.optional(),
  /** The members of the answer's body that have outputs of their own. */
  outputs: z.array(fieldSchema),
  /** The media types of successful answers. */
  accept: z.array(z.string()),
});

export type OpenApiImplementation = z.infer<typeof openApiImplementationSchema>;
