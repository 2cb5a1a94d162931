import type { Credential, ModelUsage } from '../engine/node.ts';

/** The HTTP interfaces of models. Each has a module in this folder. */
export const DIALECTS = ['openai', 'anthropic'] as const;

export type Dialect = typeof DIALECTS[number];

/** The model that is called, and how. These settings are form data of a node, never inputs. */
export interface ModelSettings {
  dialect: Dialect;
  /** The address that the dialect's own client calls its base URL. */
  baseUrl: string;
  model: string;
  /** The secret of the requests. */
  credential?: Credential | undefined;
  temperature?: number | undefined;
  /** The most tokens of the answer. */
  maxTokens?: number | undefined;
}

/** An image: its address, or its bytes as base64. */
export type ModelImage = { url: string } | { mediaType: string; base64: string };

/** A call of a tool that a model wants. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them. The text may be no JSON. */
  arguments: string;
}

/** A message of a conversation. Messages are plain JSON, so that they can be stored. */
export type ModelMessage =
  | { role: 'user'; text: string; images?: readonly ModelImage[] }
  | { role: 'assistant'; text: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; callId: string; text: string; isError?: boolean };

/** A tool that the model may call. */
export interface ModelTool {
  name: string;
  description: string;
  /** The JSON Schema of the arguments, an object. */
  parameters: object;
}

/** What a model is asked. */
export interface ModelRequest {
  system?: string | undefined;
  messages: readonly ModelMessage[];
  tools?: readonly ModelTool[];
  /** The JSON Schema of the answer. The caller checks the answer, because few providers follow every schema. */
  responseSchema?: object | undefined;
}

/**
 * The reason why an answer ended: `stop` at its natural end, `length` at a limit of tokens, `tool_calls` to call tools,
 * `refusal` if the model or its provider refuses to answer. Any other reason is the word of the provider.
 */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'refusal' | (string & {});

/** A whole answer of a model. Its text is empty if the answer has only calls of tools. */
export interface ModelAnswer {
  text: string;
  toolCalls: ToolCall[];
  usage: ModelUsage;
  finishReason: FinishReason;
}

/** Reads one streamed answer. The methods throw a NodeError for an answer that does not follow the dialect. */
export interface AnswerReader {
  /** Reads the data of one event. */
  event: (data: string) => void;
  /** True if the last event of the answer was read. */
  isComplete: () => boolean;
  answer: () => ModelAnswer;
  /** The tokens so far. If an answer breaks off, they are paid all the same. */
  usage: () => ModelUsage;
}

/** How requests and answers of one interface are written. */
export interface ModelDialect {
  /** The path below the base URL. */
  path: string;
  headers: readonly [name: string, value: string][];
  /** Makes the JSON body of a request. */
  body: (settings: ModelSettings, request: ModelRequest) => object;
  /** Makes the reader of an answer whose texts may have `maxBytes` together. */
  readAnswer: (maxBytes: number) => AnswerReader;
}
