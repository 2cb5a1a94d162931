import {
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Ledger } from './ledger.ts';
import type { Methods } from './rpc_method.ts';
import { readTransaction } from './wire_transaction.ts';

/** 500 million SOL. */
const FAUCET_LAMPORTS = 500_000_000n * 1_000_000_000n;

/** Makes an account that serves airdrops. */
export async function makeFaucet(ledger: Ledger): Promise<Methods> {
  const faucet = await generateKeyPairSigner();
  ledger.write({
    address: faucet.address,
    data: new Uint8Array(),
    executable: false,
    lamports: lamports(FAUCET_LAMPORTS),
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: 0n,
  });
  return {
    async requestAirdrop(_, params) {
      // SAFETY: `publicKey` checks that the parameter is base58 of 32 bytes.
      const destination = params.publicKey(0) as Address;
      const amount = params.integer(1);
      // Each airdrop gets its own slot, because the same airdrop under the same blockhash would be the same
      // transaction.
      ledger.clock.advance(1n);
      const slot = ledger.clock.slot();
      const lifetime = {
        blockhash: ledger.clock.blockhash(slot) as Blockhash,
        lastValidBlockHeight: ledger.clock.blockHeight(slot),
      };
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (draft) => setTransactionMessageFeePayerSigner(faucet, draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
        (draft) => {
          const transfer = getTransferSolInstruction({ source: faucet, destination, amount });
          return appendTransactionMessageInstruction(transfer, draft);
        },
      );
      const signed = await signTransactionMessageWithSigners(message);
      const transaction = readTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)));
      ledger.submit(transaction);
      return transaction.signature;
    },
  };
}
