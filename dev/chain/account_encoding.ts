import { base58, base64 } from '@scure/base';
import { AccountState, getMintDecoder, getMintSize, getTokenDecoder, getTokenSize } from '@solana-program/token';
import type { Option } from '@solana/kit';
import type { Account, AccountReader } from './account.ts';
import { INVALID_REQUEST, invalidParams, RpcError } from './rpc_error.ts';
import { readConfig, type RpcConfig, type RpcJson } from './rpc_params.ts';

/**
 * The most bytes that are encoded in base58. Larger data is refused, because encoding in base58 takes quadratic time.
 */
const MAX_BASE58_BYTES = 128;

/** The rent epoch of every account that is exempt from rent. The chain has only such accounts. */
const RENT_EXEMPT_EPOCH = 2n ** 64n - 1n;

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

const orNull = <T>(option: Option<T>): T | null => option.__option === 'Some' ? option.value : null;

/**
 * Formats an amount of tokens as a Solana RPC node answers it: exact, as a float, and as text without trailing zeros.
 */
export function formatTokenAmount(amount: bigint, decimals: number): { [name: string]: RpcJson } {
  const digits = String(amount).padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const text = `${digits.slice(0, split)}.${digits.slice(split)}`.replace(/(?<!0)0+$/, '').replace(/\.$/, '');
  const whole = decimals === 0 ? String(amount) : text;
  return { amount: String(amount), decimals, uiAmount: Number(whole), uiAmountString: whole };
}

/** Decodes the mint in an account of the token program; undefined for other accounts. */
export const asMint = ({ owner, data }: Account) =>
  owner === TOKEN_PROGRAM && data.length === getMintSize() ? getMintDecoder().decode(data) : undefined;

/** Decodes the token account in an account of the token program; undefined for other accounts. */
export const asTokenAccount = ({ owner, data }: Account) =>
  owner === TOKEN_PROGRAM && data.length === getTokenSize() ? getTokenDecoder().decode(data) : undefined;

/**
 * Parses a token program's account into the JSON that a Solana RPC node makes of it; undefined for other accounts,
 * whose data the RPC returns as bytes.
 */
function parseTokenData(account: Account, read: AccountReader): RpcJson | undefined {
  const mint = asMint(account);
  if (mint?.isInitialized) {
    return {
      type: 'mint',
      info: {
        mintAuthority: orNull(mint.mintAuthority),
        supply: String(mint.supply),
        decimals: mint.decimals,
        isInitialized: true,
        freezeAuthority: orNull(mint.freezeAuthority),
      },
    };
  }
  const token = asTokenAccount(account);
  const itsMint = token && read(token.mint);
  const decimals = itsMint && asMint(itsMint)?.decimals;
  if (token === undefined || decimals === undefined || token.state === AccountState.Uninitialized) return undefined;
  const [delegate, reserve] = [orNull(token.delegate), orNull(token.isNative)];
  return {
    type: 'account',
    info: {
      mint: token.mint,
      owner: token.owner,
      tokenAmount: formatTokenAmount(token.amount, decimals),
      ...(delegate !== null && { delegate, delegatedAmount: formatTokenAmount(token.delegatedAmount, decimals) }),
      state: token.state === AccountState.Frozen ? 'frozen' : 'initialized',
      isNative: reserve !== null,
      ...(reserve !== null && { rentExemptReserve: formatTokenAmount(reserve, decimals) }),
      ...(orNull(token.closeAuthority) !== null && { closeAuthority: orNull(token.closeAuthority) }),
    },
  };
}

function encodeBase58(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      INVALID_REQUEST,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    );
  }
  return base58.encode(data);
}

/** Encodes an account's data in the encoding that the config names. The default is bare base58, the oldest encoding. */
function encodeData(account: Account, config: RpcConfig, read: AccountReader): RpcJson {
  const encoding = config.text('encoding') ?? 'binary';
  const slice = config.object('dataSlice');
  const [offset, length] = slice === undefined
    ? [0n, undefined]
    : [readConfig(slice).integer('offset') ?? 0n, readConfig(slice).integer('length')];
  const data = account.data.slice(Number(offset), length === undefined ? undefined : Number(offset + length));
  switch (encoding) {
    case 'binary':
      return encodeBase58(data);
    case 'base58':
      return [encodeBase58(data), 'base58'];
    case 'base64':
      return [base64.encode(data), 'base64'];
    case 'jsonParsed': {
      const parsed = parseTokenData(account, read);
      if (parsed === undefined) return [base64.encode(data), 'base64'];
      return { program: 'spl-token', parsed, space: BigInt(account.data.length) };
    }
    default:
      throw invalidParams(
        `Invalid params: unknown variant \`${encoding}\`, expected one of \`binary\`, \`base58\`, \`base64\`, \`jsonParsed\`.`,
      );
  }
}

/** Encodes an account in the RPC's form; null if it does not exist. */
export function encodeAccount(account: Account | undefined, config: RpcConfig, read: AccountReader): RpcJson {
  if (account === undefined) return null;
  return {
    data: encodeData(account, config, read),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EXEMPT_EPOCH,
    space: BigInt(account.data.length),
  };
}
