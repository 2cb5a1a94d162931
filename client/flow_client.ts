import type { Database } from '../types/database.types.ts';
import type { DeployFlowResult, StartResult } from '../types/deployment.ts';
import type { RunStatus } from '../types/flow_run.ts';
import type { RunEvent } from '../types/run_event.ts';
import type { PendingSignatureRequest } from '../types/signature_request.ts';
import type { ValueMap } from '../types/values/value.ts';
import type { PlainValue, PlainValues } from './plain_value.ts';

/** How a client behaves. */
export interface FlowClientOptions {
  /** How often a request that may safely be repeated is sent again when no answer comes; 2 by default. */
  retries?: number;
}

/** What every call takes. */
export interface RequestOptions {
  /** Ends the call with the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** A deployment by its id, or by its flow and a tag, `latest` by default. A number is the id of a flow. */
export type DeploymentTarget = string | number | { id: string } | { flow: number; tag?: string | undefined };

/** What a deployment takes and gives, in JavaScript. `npx flows types` writes it. */
export interface DeploymentTypes {
  inputs: object;
  outputs: object;
}

/** A flow to store: columns of `flows`. `editorFlowToRow` makes it of what an editor exports. */
export interface FlowToStore {
  name?: string;
  description?: string;
  nodes: readonly object[];
  edges: readonly object[];
  /** Settings of its transactions, and whatever its scripts read. Only the owner sees them. */
  environment?: { [name: string]: string };
  /** Solana devnet by default. */
  chain_network?: { url: string; cluster: string };
  /** `Off` or `Automatic`: whether nodes share transactions. */
  instructions_bundling?: string;
  /**
   * Whether others may read the flow, in `public_flows`: its graph with all form data, but neither `environment` nor the
   * address of its network. Without it, only the owner may start its deployments at first.
   */
  is_public?: boolean;
  /** With `is_public`: every user who has signed up may start its deployments. */
  start_shared?: boolean;
  /** With both: anybody may. */
  start_unverified?: boolean;
}

export interface DeployOptions extends RequestOptions {
  /** Refuse the flow for what would otherwise be a warning. */
  strict?: boolean;
  /** A tag to give to the new deployment, beside `latest`. */
  tag?: string | undefined;
}

declare const outputsOf: unique symbol;

/** A run that was started: its id, and the token that shows it to whoever holds it. `Outputs` is for types only. */
export interface StartedRun<Outputs extends object = PlainValues> extends StartResult {
  readonly [outputsOf]?: Outputs;
}

/** A run: what a start gave, or its id. With its token, no other credential is needed. */
export type RunReference<Outputs extends object = PlainValues> =
  | StartedRun<Outputs>
  | { flow_run_id: string; token?: string | undefined }
  | string;

export interface StartOptions extends RequestOptions {
  /** Tagged values by name, for what plain values can't say; a name may not stand in the plain values, too. */
  inputs?: ValueMap;
  /** The key under which a repeated start gives the same run. By default a random one, so that the client may retry. */
  idempotencyKey?: string | undefined;
  /** Start as the unauthenticated caller of this public key, whoever is signed in. */
  publicKey?: string | undefined;
  /** Public key whose holder signs and sends the transaction, where the deployment has an action identity. */
  actionSigner?: string | undefined;
}

/** The arguments behind the target of a start: the inputs may be left out where none is required. */
export type StartArguments<Inputs extends object> = Record<never, never> extends Inputs
  ? [values?: Inputs, options?: StartOptions]
  : [values: Inputs, options?: StartOptions];

export interface OutputOptions extends RequestOptions {
  /** Milliseconds after which the wait ends with the error `timed_out`; without it, it lasts as long as the run. */
  timeoutMs?: number | undefined;
}

export interface StopOptions extends RequestOptions {
  /** Goes into the error of the nodes that are cancelled. */
  reason?: string | undefined;
  /** Milliseconds that running nodes have to end by themselves. */
  graceMs?: number | undefined;
}

export interface RedriveOptions extends RequestOptions {
  /** Take the risk that what may have happened outside happens once more. */
  acceptUnknown?: boolean | undefined;
  /** The same key gives the same run for 24 hours; a random one by default. */
  idempotencyKey?: string | undefined;
}

export interface SignatureOptions extends RequestOptions {
  /** Milliseconds after which no further request is waited for; without it, the wait lasts as long as the run. */
  timeoutMs?: number | undefined;
}

/** An input that a run waits for: a row of `pending_inputs`. */
export type PendingInput = Omit<Database['public']['Tables']['pending_inputs']['Row'], 'owner_id' | 'started_by'>;

export interface AnswerInputOptions extends RequestOptions {
  /** The key under which a repeated answer counts as the same one. By default a random one, so that the client may retry. */
  idempotencyKey?: string | undefined;
}

/** A row of `flow_run`. */
export type RunRow = Omit<Database['public']['Tables']['flow_run']['Row'], 'status' | 'deployment' | 'fees'> & {
  status: RunStatus;
  fees: Fees;
};

/** When a deployment starts by itself. */
export interface NewSchedule {
  /** Minute, hour, day of month, month and day of week, such as `30 6 * * MON-FRI`. */
  cron: string;
  /** An IANA time zone, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string | undefined;
  /** Plain inputs of each start, which become values by the types of the deployment that is started then. */
  values?: PlainValues | undefined;
  /** Further inputs of each start, as tagged values. */
  inputs?: ValueMap | undefined;
  /** For planned times that nobody could keep: one late start (`catch_up_one`, the default), or none (`skip`). */
  policy?: 'catch_up_one' | 'skip' | undefined;
}

/** A row of `flow_schedules`. */
export type ScheduleRow = Database['public']['Tables']['flow_schedules']['Row'];

/** How a sender signs the body of its requests. */
export interface WebhookHmac {
  /** The header with the signature, such as `X-Shopify-Hmac-Sha256`. */
  header: string;
  /** `sha256` unless given. */
  algorithm?: 'sha256' | 'sha1' | undefined;
  /** `hex` unless given. */
  encoding?: 'hex' | 'base64' | undefined;
  /** What stands before the signature, such as `sha256=`. */
  prefix?: string | undefined;
  /** The header with the id of a delivery, by which a repeated one starts no other run. */
  id_header?: string | undefined;
}

/** What a webhook hands on, and how requests to it prove who sends them. */
export interface NewWebhook {
  /** The input that gets the JSON of each request. */
  input: string;
  /** Headers that the input gets, too: it is `{body, headers}` then. */
  headers?: readonly string[] | undefined;
  /** Without it, whoever has the URL may use it. */
  verification?: 'standard_webhooks' | 'github' | 'stripe' | 'hmac' | 'authorization' | undefined;
  /** With `verification`; where the sender makes it later, `rpc('set_webhook_verification')` takes it. */
  secret?: string | undefined;
  /** With `verification` `hmac`: where the sender puts its signature of the body, and how it writes it. */
  hmac?: WebhookHmac | undefined;
}

/** A row of `flow_webhooks`. */
export type WebhookRow = Database['public']['Tables']['flow_webhooks']['Row'];

/** The row of a new webhook, with the URL, which is shown this once. */
export type CreatedWebhook = Omit<WebhookRow, 'user_id'> & { url: string };

/** What a list of runs has of each: all but inputs, output and settings. */
export type RunSummary = Pick<
  RunRow,
  'id' | 'flow_id' | 'deployment_id' | 'status' | 'created_at' | 'start_time' | 'end_time' | 'errors'
>;

/** Which runs to list, the newest first. */
export interface RunFilter extends RequestOptions {
  /** Id of a deployment. */
  deployment?: string | undefined;
  /** Id of a flow. */
  flow?: number | undefined;
  /** Id of a schedule: the runs that it started. */
  schedule?: string | undefined;
  /** Id of a webhook: the runs that it started. */
  webhook?: string | undefined;
  /** Only runs in this state. */
  status?: RunStatus | undefined;
  /** How many at most: 1 to 1,000, 100 by default. */
  limit?: number | undefined;
  /** Only runs that were made before the run of this id: the last one of the page before. */
  before?: string | undefined;
}

/** A line of a run's log: a row of `flow_run_logs`. */
export type RunLogLine = Omit<Database['public']['Tables']['flow_run_logs']['Row'], 'user_id'>;

export interface LogOptions extends RequestOptions {
  /** The `log_index` after which to begin. */
  after?: number | undefined;
  /** Go on until the run has ended. */
  follow?: boolean | undefined;
}

export interface EventOptions extends RequestOptions {
  /** The `id` of the last event that is known already; without it, the events begin with the first one. */
  lastEventId?: number | undefined;
}

export interface ReadOptions extends RequestOptions {
  /** Read as the unauthenticated caller of this public key, whoever is signed in. */
  publicKey?: string | undefined;
}

/** An input of a deployment. */
export interface DeploymentInput {
  /** The name that a start has for it. */
  name: string;
  /** What the definition says of the only port that it feeds; empty when there are several, or none. */
  description: string;
  /** The types that suit every port which the value comes to: `u64`, `pubkey`, `free` and so on. */
  type_bounds: string[];
  /** The flow has no default for it, and a port requires it. */
  required: boolean;
  /** The flow's default, as plain JSON; null without one, and for one of more than 4096 bytes. */
  default: unknown;
  /** The JSON Schema of the plain JSON that a start may send for it. */
  json_schema: { [keyword: string]: unknown };
}

/** An output of a deployment: the type is that of the port that feeds it. */
export interface DeploymentOutput {
  name: string;
  type: string;
}

/** Addresses, with what each gets once a run, in lamports. */
export type Fees = [address: string, lamports: bigint][];

/** What a deployment takes and gives, as it was frozen. */
export interface DeploymentDescription {
  deployment_id: string;
  flow_id: number;
  name: string;
  description: string;
  /** An https address. */
  icon_url: string | null;
  created_at: string;
  start_permission: 'Owner' | 'Authenticated' | 'Anonymous';
  output_instructions: boolean;
  action_identity: string | null;
  /** What its runs pay beside what the flow itself pays. */
  fees: Fees;
  cluster: 'devnet' | 'testnet' | 'mainnet-beta';
  inputs: DeploymentInput[];
  outputs: DeploymentOutput[];
}

/** A deployment, with the types of what it takes and gives. */
export interface Deployment<Inputs extends object, Outputs extends object> {
  /** Starts it. */
  start(...args: StartArguments<Inputs>): Promise<StartedRun<Outputs>>;
  /** Starts it and waits for its output. */
  run(...args: StartArguments<Inputs>): Promise<Outputs>;
}

/** Deploys, starts and reads flows. Every method throws a FlowError. */
export interface FlowClient {
  /** Stores a new flow, or changes the flow with `id`, and gives its id. */
  storeFlow(flow: FlowToStore, options?: RequestOptions & { id?: number | undefined }): Promise<number>;

  /** Freezes a flow into a deployment, which `latest` then names. */
  deploy(flow: number, options?: DeployOptions): Promise<DeployFlowResult>;

  /** Gives a deployment a tag, or moves the tag to it. */
  tag(deployment: string, tag: string, options?: RequestOptions): Promise<void>;

  /** What a deployment takes and gives, as it was frozen, for those who may start it. */
  read(target: DeploymentTarget, options?: ReadOptions): Promise<DeploymentDescription>;

  /**
   * Starts a deployment with plain values by the names of its inputs. It is sent again when no answer comes; the
   * idempotency key keeps that from starting it twice.
   */
  start<Inputs extends object = PlainValues, Outputs extends object = PlainValues>(
    target: DeploymentTarget,
    ...args: StartArguments<Inputs>
  ): Promise<StartedRun<Outputs>>;

  /** A deployment with types: `client.deployment<Shop>({ flow: 7, tag: 'stable' })`. It sends nothing by itself. */
  deployment<Types extends DeploymentTypes>(target: DeploymentTarget): Deployment<Types['inputs'], Types['outputs']>;

  /** Has one's own deployment start by itself, and gives the row of the schedule. */
  schedule(target: DeploymentTarget, schedule: NewSchedule, options?: RequestOptions): Promise<ScheduleRow>;

  /** One's own schedules, the newest 1,000, the newest first. */
  schedules(options?: RequestOptions): Promise<ScheduleRow[]>;

  /**
   * Pauses a schedule, or lets it go on with its next planned time, and gives its row. Throws `schedule_not_found`, also for
   * somebody else's.
   */
  setScheduleActive(id: string, isActive: boolean, options?: RequestOptions): Promise<ScheduleRow>;

  /** Deletes a schedule. Its runs stay. Throws `schedule_not_found`. */
  deleteSchedule(id: string, options?: RequestOptions): Promise<void>;

  /** Makes a URL by which others start one's own deployment. */
  createWebhook(target: DeploymentTarget, webhook: NewWebhook, options?: RequestOptions): Promise<CreatedWebhook>;

  /** One's own incoming webhooks without their URLs, the newest 1,000, the newest first. */
  webhooks(options?: RequestOptions): Promise<WebhookRow[]>;

  /** Deletes an incoming webhook: its URL starts nothing any more. Its runs stay. Throws `webhook_not_found`. */
  deleteWebhook(id: string, options?: RequestOptions): Promise<void>;

  /**
   * Waits for the end of a run and gives its output, as `fromValue` makes it. A run that failed or was stopped is the
   * error `run_failed` or `run_stopped`, with `errors` and `output` in its details.
   */
  output<Outputs extends object = PlainValues>(run: RunReference<Outputs>, options?: OutputOptions): Promise<Outputs>;

  /** Like `output`, but gives tagged values. */
  outputValues(run: RunReference<object>, options?: OutputOptions): Promise<ValueMap>;

  /** Asks a run to stop. A run that has ended stays as it is. */
  stop(run: RunReference<object>, options?: StopOptions): Promise<void>;

  /**
   * Goes on from where a run of the caller's flow failed or was stopped, as a new run: what succeeded is taken over, the
   * rest runs. It is sent again when no answer comes; the idempotency key keeps that from redriving it twice. Throws
   * `run_not_ended`, `run_succeeded`, `run_redriven`, `outcome_unknown`, `run_not_redrivable`.
   */
  redrive<Outputs extends object = PlainValues>(
    run: RunReference<Outputs>,
    options?: RedriveOptions,
  ): Promise<StartedRun<Outputs>>;

  /** The root runs that the caller may see, the newest first. */
  runs(filter?: RunFilter): Promise<RunSummary[]>;

  /** A run's row. Throws `flow_run_not_found`. */
  run(run: RunReference<object>, options?: RequestOptions): Promise<RunRow>;

  /** The lines of a run's log, for the owner of its flow; with `follow` also those that come, until the run has ended. */
  logs(run: RunReference<object>, options?: LogOptions): AsyncGenerator<RunLogLine, void, void>;

  /**
   * The events of a run and of the runs that it called, as they come, each once and in their order, until the run has
   * ended. It connects again when a connection ends; when none comes about for two minutes, it throws the last error.
   * Others than the owner of the flow get names and times, without values, errors and log lines.
   */
  events(run: RunReference<object>, options?: EventOptions): AsyncGenerator<RunEvent, void, void>;

  /**
   * The signature requests of a run, each once, as they come, until the run has ended. A run asks for one at a time:
   * answer it, or stop, before you take the next.
   */
  signatureRequests(
    run: RunReference<object>,
    options?: SignatureOptions,
  ): AsyncGenerator<PendingSignatureRequest, void, void>;

  /**
   * Answers a signature request: 64 bytes, or their base58. `newMessage` is the message, or its base64, that the wallet
   * signed, if it changed the request's.
   */
  submitSignature(
    id: number,
    signature: string | Uint8Array,
    options?: RequestOptions & { newMessage?: string | Uint8Array | undefined },
  ): Promise<void>;

  /**
   * What a run and those that it called wait for now, the oldest first; without a run, what all runs wait for that the caller
   * owns or started, 1,000 at most.
   */
  pendingInputs(run?: RunReference<object>, options?: RequestOptions): Promise<PendingInput[]>;

  /**
   * Sends the value that a run waits for, a plain one, to the `url` of a pending input, or the token (`fi_…`) in which it ends. That
   * is the only credential, and goes to the client's own project. It works once: `pending_input_answered`, `pending_input_not_found`.
   */
  submitInput(url: string, value: PlainValue, options?: AnswerInputOptions): Promise<void>;

  /** Cancels what a run waits for: its node fails. */
  cancelInput(url: string, options?: AnswerInputOptions): Promise<void>;
}
