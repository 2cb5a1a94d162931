/** The most characters of a wallet's error text that are shown. */
const MAX_TEXT_LENGTH = 500;
/**
 * The code of the error if the holder of a wallet refuses. All wallets of Ethereum and most wallets of Solana use this
 * code.
 */
const REFUSED = 4001;

/** A failure of a wallet, with a message for its holder. */
class WalletError extends Error {
  override name = 'WalletError';
  readonly code: 'wallet_refused' | 'wallet_failed';
  /** The remedy. */
  readonly hint: string;

  constructor(message: string, code: WalletError['code'], hint: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

function textOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  return typeof message === 'string' && message !== '' ? message.slice(0, MAX_TEXT_LENGTH) : 'it does not say why';
}

/**
 * Sends a request to a wallet. Converts every error to a WalletError, because wallets throw texts and objects of many
 * kinds.
 */
export async function askWallet<Answer>({ name }: { name: string }, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const isRefused = typeof error === 'object' && error !== null && Reflect.get(error, 'code') === REFUSED;
    throw isRefused
      ? new WalletError(`You said no in ${name}.`, 'wallet_refused', 'Nothing was signed. You can try again.', error)
      : new WalletError(
        `${name} did not do it: ${textOf(error)}`,
        'wallet_failed',
        `Look into ${name} whether it is unlocked and on the right network, then try again.`,
        error,
      );
  }
}
