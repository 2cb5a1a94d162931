/** A tool call of a scripted answer. The arguments are text, because models also write what is no JSON. */
export interface ScriptedCall {
  id?: string;
  name: string;
  arguments: string;
}

/** An answer in the words of both dialects. */
export interface ScriptedAnswer {
  text?: string;
  toolCalls?: ScriptedCall[];
  /** Default: `stop`, or `tool_calls` if there are any. */
  finish?: 'stop' | 'length' | 'tool_calls' | 'refusal';
  usage?: { input: number; output: number };
  /** The stream does something wrong after its first pieces of text. */
  fault?: 'breaks_off' | 'ends_early' | 'silent' | 'endless' | 'not_json' | 'overloaded' | 'invalid';
  /** Waits before the first byte. */
  delayMs?: number;
}

/** An answer that is no answer of a model. */
export interface ScriptedStatus {
  status: number;
  headers?: { [name: string]: string };
  body?: unknown;
}

export type Script = ScriptedAnswer | ScriptedStatus;

export const DEFAULT_USAGE = { input: 11, output: 7 };

export const callIdOf = ({ id }: ScriptedCall, index: number): string => id ?? `call_${index}`;

export const finishOf = ({ finish, toolCalls = [] }: ScriptedAnswer): NonNullable<ScriptedAnswer['finish']> =>
  finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');

/** Divides a text into pieces, as a model makes it token by token. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,5}/gu) ?? [];

type Json = { [name: string]: unknown };

/** One event of a stream. A text is sent as it is. */
export type ProviderEvent = { event?: string; data: Json | string };

/** How the provider speaks one interface. */
export interface ProviderDialect {
  path: string;
  /** Returns the fault of a request; undefined for a valid one. */
  faultOf: (body: Json, headers: { [name: string]: string | string[] | undefined }) => string | undefined;
  errorBody: (type: string, message: string) => Json;
  whole: (model: string, script: ScriptedAnswer) => Json;
  /** The events up to the end of the content, without the events that end the answer. */
  begin: (model: string, script: ScriptedAnswer) => ProviderEvent[];
  end: (model: string, script: ScriptedAnswer) => ProviderEvent[];
  /** An event with a piece of text. */
  more: (model: string, text: string) => ProviderEvent;
  /** An event that reports an error inside a stream. */
  failure: (type: string, message: string) => ProviderEvent;
}
