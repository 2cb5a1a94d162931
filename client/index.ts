export type { ErrorCode } from '../types/errors.ts';
export type { Database } from '../types/database.types.ts';
export type { DeployFlowResult, FlowWarning, StartResult } from '../types/deployment.ts';
export type { ServerTools } from '../types/described/server_tools.ts';
export type { RunStatus } from '../types/flow_run.ts';
export type { RunEvent, RunEventData } from '../types/run_event.ts';
export type { PendingSignatureRequest } from '../types/signature_request.ts';
export type { Value, ValueMap } from '../types/values/value.ts';
export type { ConnectionOptions, SupabaseLike } from './requests/connection.ts';
export { createFlowClient } from './create_flow_client.ts';
export type {
  AnswerInputOptions,
  ConnectionRow,
  CreatedWebhook,
  DefinitionToStore,
  Deployment,
  DeploymentDescription,
  DeploymentInput,
  DeploymentOutput,
  DeploymentTarget,
  DeploymentTypes,
  DeployOptions,
  EventOptions,
  Fees,
  FlowClient,
  FlowClientOptions,
  FlowFile,
  FlowSummary,
  FlowTool,
  FlowToPush,
  FlowToStore,
  LogOptions,
  NewConnection,
  NewSchedule,
  NewWebhook,
  NodeOfFlow,
  NodeRunRow,
  OutputOptions,
  PendingInput,
  ReadOptions,
  RedriveOptions,
  RequestOptions,
  RowStartRow,
  RunFilter,
  RunLogLine,
  RunNodeOptions,
  RunReference,
  RunRow,
  RunSummary,
  ScheduleRow,
  SignatureOptions,
  StartArguments,
  StartedRun,
  StartOptions,
  StopOptions,
  StoredDefinition,
  WebhookHmac,
  WebhookRow,
} from './flow_client.ts';
export { type ClientErrorCode, FlowError } from './flow_error.ts';
export { fromValue, type PlainValue, type PlainValues, toValue } from './plain_value.ts';
