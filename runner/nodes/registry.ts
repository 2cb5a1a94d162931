import type { AnyModule, NativeNodes } from '../engine/node.ts';
import { aiAgentNode } from './ai_agent/index.ts';
import { aiChatNode } from './ai_chat/index.ts';
import { apiInputNode } from './api_input/index.ts';
import { associatedTokenAccountNode } from './associated_token_account/index.ts';
import { branchNode } from './branch/index.ts';
import { chunkStringNode } from './chunk_string/index.ts';
import { collectNode } from './collect/index.ts';
import { constNode } from './const/index.ts';
import { createMasterEditionNode } from './create_master_edition/index.ts';
import { createMetadataAccountNode } from './create_metadata_account/index.ts';
import { createMintAccountNode } from './create_mint_account/index.ts';
import { createTokenAccountNode } from './create_token_account/index.ts';
import { csvFormatNode } from './csv_format/index.ts';
import { csvParseNode } from './csv_parse/index.ts';
import { dasApiNode } from './das_api/index.ts';
import { dateAddNode } from './date_add/index.ts';
import { dateFormatNode } from './date_format/index.ts';
import { dateParseNode } from './date_parse/index.ts';
import { decodeNode } from './decode/index.ts';
import { disabledNode } from './disabled/index.ts';
import { encodeNode } from './encode/index.ts';
import { fileexplorerNode } from './fileexplorer/index.ts';
import { filterNode } from './filter/index.ts';
import { findPdaNode } from './find_pda/index.ts';
import { flowInputNode } from './flow_input/index.ts';
import { flowOutputNode } from './flow_output/index.ts';
import { flowRunInfoNode } from './flow_run_info/index.ts';
import { foreachNode } from './foreach/index.ts';
import { gateNode } from './gate/index.ts';
import { generateKeypairNode } from './generate_keypair/index.ts';
import { getBalanceNode } from './get_balance/index.ts';
import { hashNode } from './hash/index.ts';
import { hmacNode } from './hmac/index.ts';
import { httpRequestNode } from './http_request/index.ts';
import { interflowNode } from './interflow/index.ts';
import { interflowInstructionsNode } from './interflow_instructions/index.ts';
import { javascriptNode } from './javascript/index.ts';
import { jsonExtractNode } from './json_extract/index.ts';
import { jsonGetFieldNode } from './json_get_field/index.ts';
import { jsonInsertNode } from './json_insert/index.ts';
import { jsonataNode } from './jsonata/index.ts';
import { kvCreateStoreNode } from './kv_create_store/index.ts';
import { kvDeleteStoreNode } from './kv_delete_store/index.ts';
import { kvReadItemNode } from './kv_read_item/index.ts';
import { kvWriteItemNode } from './kv_write_item/index.ts';
import { listSliceNode } from './list_slice/index.ts';
import { listSortNode } from './list_sort/index.ts';
import { listUniqueNode } from './list_unique/index.ts';
import { mathNode } from './math/index.ts';
import { memoNode } from './memo/index.ts';
import { mergeNode } from './merge/index.ts';
import { mintTokenNode } from './mint_token/index.ts';
import { noteNode } from './note/index.ts';
import { postgrestBuilderNodes } from './postgrest_builder/index.ts';
import { postgrestExecuteQueryNode } from './postgrest_execute_query/index.ts';
import { postgrestNewQueryNode } from './postgrest_new_query/index.ts';
import { postgrestNewRpcNode } from './postgrest_new_rpc/index.ts';
import { printNode } from './print/index.ts';
import { randomNode } from './random/index.ts';
import { rangeNode } from './range/index.ts';
import { regexMatchNode } from './regex_match/index.ts';
import { regexReplaceNode } from './regex_replace/index.ts';
import { requestAirdropNode } from './request_airdrop/index.ts';
import { rhaiScriptNode, sizedScriptNodes } from './rhai_script/index.ts';
import { sqlFunctionNode } from './sql_function/index.ts';
import { storageCreateSignedUrlNode } from './storage_create_signed_url/index.ts';
import { storageDeleteNode } from './storage_delete/index.ts';
import { storageDownloadNode } from './storage_download/index.ts';
import { storageGetFileMetadataNode } from './storage_get_file_metadata/index.ts';
import { storageGetPublicUrlNode } from './storage_get_public_url/index.ts';
import { storageListNode } from './storage_list/index.ts';
import { storageUploadNode } from './storage_upload/index.ts';
import { switchNode } from './switch/index.ts';
import { textTemplateNode } from './text_template/index.ts';
import { toBytesNode } from './to_bytes/index.ts';
import { toStringNode } from './to_string/index.ts';
import { toVecNode } from './to_vec/index.ts';
import { transferSolNode } from './transfer_sol/index.ts';
import { transferTokenNode } from './transfer_token/index.ts';
import { waitNode } from './wait/index.ts';
import { walletNode } from './wallet/index.ts';

/**
 * All native nodes. To add a node, add a folder beside this file and a line to this list. One folder may define several
 * nodes.
 */
const modules: AnyModule[] = [
  aiAgentNode,
  aiChatNode,
  apiInputNode,
  associatedTokenAccountNode,
  branchNode,
  chunkStringNode,
  collectNode,
  constNode,
  createMasterEditionNode,
  createMetadataAccountNode,
  createMintAccountNode,
  createTokenAccountNode,
  csvFormatNode,
  csvParseNode,
  dasApiNode,
  dateAddNode,
  dateFormatNode,
  dateParseNode,
  decodeNode,
  disabledNode,
  encodeNode,
  fileexplorerNode,
  filterNode,
  findPdaNode,
  flowInputNode,
  flowOutputNode,
  flowRunInfoNode,
  foreachNode,
  gateNode,
  generateKeypairNode,
  getBalanceNode,
  hashNode,
  hmacNode,
  httpRequestNode,
  interflowInstructionsNode,
  interflowNode,
  javascriptNode,
  jsonataNode,
  jsonExtractNode,
  jsonGetFieldNode,
  jsonInsertNode,
  kvCreateStoreNode,
  kvDeleteStoreNode,
  kvReadItemNode,
  kvWriteItemNode,
  listSliceNode,
  listSortNode,
  listUniqueNode,
  mathNode,
  memoNode,
  mergeNode,
  mintTokenNode,
  noteNode,
  ...postgrestBuilderNodes,
  postgrestExecuteQueryNode,
  postgrestNewQueryNode,
  postgrestNewRpcNode,
  printNode,
  randomNode,
  rangeNode,
  regexMatchNode,
  regexReplaceNode,
  requestAirdropNode,
  rhaiScriptNode,
  ...sizedScriptNodes,
  sqlFunctionNode,
  storageCreateSignedUrlNode,
  storageDeleteNode,
  storageDownloadNode,
  storageGetFileMetadataNode,
  storageGetPublicUrlNode,
  storageListNode,
  storageUploadNode,
  switchNode,
  textTemplateNode,
  toBytesNode,
  toStringNode,
  toVecNode,
  transferSolNode,
  transferTokenNode,
  waitNode,
  walletNode,
];

const byId = new Map(
  modules.map((module) => [module.definition.data.node_id, module]),
);

/** Finds a native node by its node_id. */
export const nodeRegistry: NativeNodes = (nodeId) => byId.get(nodeId);

/** The ids of all native nodes. */
export const nodeIds = (): string[] => [...byId.keys()];
