import {
  address,
  type Base64EncodedWireTransaction,
  createSolanaRpc,
  generateKeyPairSigner,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  type Rpc,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  type SolanaRpcApi,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  fetchMint,
  findAssociatedTokenPda,
  getCreateAssociatedTokenInstruction,
  getInitializeMintInstruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memo, SOL, startTestChain, type TestChain, transfer } from '../support/solana.ts';
import { waitFor } from '../support/wait.ts';

/** A slot takes a few milliseconds, so waiting is quick. */
let chain: TestChain;
let rpc: Rpc<SolanaRpcApi>;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 5 });
  rpc = createSolanaRpc(chain.url);
});
afterAll(() => chain.stop());

const confirmed = { commitment: 'confirmed' } as const;

const confirm = (signature: Parameters<SolanaRpcApi['getSignatureStatuses']>[0][number]) =>
  waitFor(async () => {
    const { value: [status] } = await rpc.getSignatureStatuses([signature]).send();
    return status?.confirmationStatus === 'processed' ? undefined : status ?? undefined;
  });

const send = async (feePayer: KeyPairSigner, instructions: Parameters<TestChain['sign']>[1]) => {
  const { value: { blockhash } } = await rpc.getLatestBlockhash(confirmed).send();
  const wire = await chain.sign(feePayer, instructions, blockhash) as Base64EncodedWireTransaction;
  return await rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
};

it("kit's client airdrops, transfers, and finds the transfer by its memo", async () => {
  const sender = await generateKeyPairSigner();
  const recipient = await generateKeyPairSigner();
  const airdrop = await rpc.requestAirdrop(sender.address, lamports(2n * SOL), confirmed).send();
  expect((await confirm(airdrop)).err).toBeNull();
  const signature = await send(sender, [transfer(sender, recipient.address, SOL), memo('a reference')]);
  expect((await confirm(signature)).err).toBeNull();
  expect((await rpc.getBalance(recipient.address, confirmed).send()).value).toBe(SOL);
  expect(await rpc.getSignaturesForAddress(recipient.address, confirmed).send()).toMatchObject([
    { signature, memo: '[11] a reference', err: null },
  ]);
});

it("kit's client reads a preflight failure with its cause and logs", async () => {
  const sender = await chain.fundedSigner(SOL);
  const recipient = await generateKeyPairSigner();
  const error = await waitFor(async () => {
    const failure = await send(sender, [transfer(sender, recipient.address, 2n * SOL)]).catch((reason) => reason);
    return isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)
      ? failure
      : undefined;
  });
  expect(isSolanaError(error.cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
  expect(error.context.logs).toContain('Transfer: insufficient lamports 999995000, need 2000000000');
});

it("kit's client creates a mint and a token account, and reads both encoded and parsed", async () => {
  const owner = await chain.fundedSigner();
  const mint = await generateKeyPairSigner();
  const rent = await rpc.getMinimumBalanceForRentExemption(BigInt(getMintSize())).send();
  expect(rent).toBe(1_461_600n);
  const [token] = await findAssociatedTokenPda({
    owner: owner.address,
    mint: mint.address,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  const signature = await send(owner, [
    getCreateAccountInstruction({
      payer: owner,
      newAccount: mint,
      lamports: rent,
      space: getMintSize(),
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMintInstruction({ mint: mint.address, decimals: 3, mintAuthority: owner.address }),
    getCreateAssociatedTokenInstruction({ payer: owner, ata: token, owner: owner.address, mint: mint.address }),
    getMintToInstruction({ mint: mint.address, token, mintAuthority: owner, amount: 1_500n }),
  ]);
  expect((await confirm(signature)).err).toBeNull();

  expect(await fetchMint(rpc, mint.address)).toMatchObject({ data: { decimals: 3, supply: 1_500n } });
  const amount = { amount: '1500', decimals: 3, uiAmount: 1.5, uiAmountString: '1.5' };
  expect((await rpc.getTokenSupply(mint.address).send()).value).toEqual(amount);
  expect((await rpc.getTokenAccountBalance(token).send()).value).toEqual(amount);
  const { value } = await rpc.getMultipleAccounts([
    mint.address,
    token,
    address('1'.repeat(32)),
    address(`${'1'.repeat(31)}2`),
  ], {
    encoding: 'jsonParsed',
  }).send();
  expect(value).toMatchObject([
    { data: { program: 'spl-token', parsed: { type: 'mint', info: { decimals: 3, supply: '1500' } } }, space: 82n },
    { data: { parsed: { type: 'account', info: { mint: mint.address, owner: owner.address, tokenAmount: amount } } } },
    { executable: true, data: [expect.any(String), 'base64'] },
    null,
  ]);
});

it("kit's client reads slots and heights that grow", async () => {
  const [slot, height] = await Promise.all([rpc.getSlot(confirmed).send(), rpc.getBlockHeight(confirmed).send()]);
  expect(slot).toBeGreaterThan(height);
  await waitFor(async () => await rpc.getSlot(confirmed).send() > slot || undefined);
  expect(await rpc.getHealth().send()).toBe('ok');
  expect(await rpc.getVersion().send()).toHaveProperty('solana-core');
});
