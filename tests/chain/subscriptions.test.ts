import {
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  generateKeyPairSigner,
  type KeyPairSigner,
  sendAndConfirmTransactionFactory,
} from '@solana/kit';
import * as kit from '@solana/kit';
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { expireBlockhashes } from '../../dev/chain/ledger.ts';
import { startChain } from '../../dev/chain/server.ts';
import { memo, SOL, startTestChain, type TestChain, transfer } from '../support/solana.ts';
import { waitFor } from '../support/wait.ts';

let chain: TestChain;
afterEach(() => chain.stop());

/** Connects a hand-written client, and records its messages. */
async function connect(url = chain.wsUrl) {
  const socket = new WebSocket(url);
  // oxlint-disable-next-line typescript/no-explicit-any -- what comes is judged by the assertions on it
  const heard: any[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(String(data))));
  await once(socket, 'open');
  let lastId = 0;
  const call = async (method: string, ...params: unknown[]) => {
    const id = ++lastId;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return await waitFor(() => heard.find((message) => message.id === id));
  };
  const told = (method: string) =>
    heard.filter((message) => message.method === method).map(({ params }) => params.result);
  return { socket, heard, call, told };
}

const submit = async (payer: KeyPairSigner, instructions: Parameters<TestChain['sign']>[1]): Promise<string> =>
  (await chain.call('sendTransaction', await chain.sign(payer, instructions), {
    encoding: 'base64',
    preflightCommitment: 'processed',
  })).result;

/** Lets slots pass until `work` has ended: kit may subscribe to them after any one. */
async function whileSlotsPass(work: Promise<unknown>) {
  let isOver = false;
  const watched = work.finally(() => (isOver = true));
  watched.catch(() => {});
  await waitFor(() => {
    if (!isOver) chain.ledger.clock.advance(1n);
    return isOver || undefined;
  });
  await watched;
}

it("kit's sendAndConfirmTransaction sends and confirms, and detects an expired blockhash", async () => {
  chain = await startTestChain();
  const [rpc, rpcSubscriptions] = [createSolanaRpc(chain.url), createSolanaRpcSubscriptions(chain.wsUrl)];
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions } as never);
  const payer = await chain.fundedSigner(SOL);
  const { address } = await generateKeyPairSigner();
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const sign = async (text: string) => {
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (draft) => kit.setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) => kit.appendTransactionMessageInstructions([transfer(payer, address, SOL / 4n), memo(text)], draft),
    );
    const signed = await kit.signTransactionMessageWithSigners(message);
    kit.assertIsTransactionWithBlockhashLifetime(signed);
    return signed;
  };
  await whileSlotsPass(sendAndConfirm(await sign('confirmed'), { commitment: 'confirmed' }));
  expect(chain.balance(address)).toBe(SOL / 4n);

  chain.ledger.deliver('lose');
  const submit = vi.spyOn(chain.ledger, 'submit');
  const lost = expect(sendAndConfirm(await sign('lost'), { commitment: 'confirmed' })).rejects.toMatchObject({
    context: { __code: kit.SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED },
  });
  await waitFor(() => submit.mock.calls.length > 0 || undefined);
  expireBlockhashes(chain.ledger);
  await whileSlotsPass(lost);
  submit.mockRestore();
});

it('web3.js 1.x confirms transactions and receives accounts, logs and slots at the port that it derives', async () => {
  chain = await startTestChain({ slotMs: 100 });
  const connection = new Connection(chain.url, 'confirmed');
  const [payer, recipient] = [Keypair.generate(), Keypair.generate()];
  const airdrop = await connection.requestAirdrop(payer.publicKey, Number(SOL));
  const lifetime = await connection.getLatestBlockhash();
  // web3.js subscribes, and also requests the status. It answers with whichever arrives first: the notification or the
  // whole status.
  expect((await connection.confirmTransaction({ signature: airdrop, ...lifetime })).value).toMatchObject({ err: null });

  const accountNews: number[] = [];
  const logNews: string[] = [];
  const onAccount = connection.onAccountChange(recipient.publicKey, ({ lamports }) => accountNews.push(lamports));
  const onLogs = connection.onLogs(new PublicKey(recipient.publicKey), ({ signature }) => logNews.push(signature));
  const slots: number[] = [];
  const onSlot = connection.onSlotChange(({ slot }) => slots.push(slot));
  await waitFor(() => slots.length > 2 || undefined);

  const transaction = new Transaction({ ...lifetime, feePayer: payer.publicKey }).add(
    SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: recipient.publicKey,
      lamports: Number(SOL / 2n),
    }),
  );
  const signature = await connection.sendTransaction(transaction, [payer]);
  expect((await connection.confirmTransaction({ signature, ...lifetime })).value).toMatchObject({ err: null });
  await waitFor(() => (accountNews.length > 0 && logNews.length > 0) || undefined);
  expect([accountNews, logNews]).toEqual([[Number(SOL / 2n)], [signature]]);
  expect(slots.every((slot, index) => index === 0 || slot > slots[index - 1]!)).toBe(true);

  // web3.js closes the connection half a second after the last subscription has ended. If the chain stopped before
  // that, web3.js would try to reconnect for ever.
  const hungUp = new Promise((resolve) => Reflect.get(connection, '_rpcWebSocket').once('close', resolve));
  await connection.removeAccountChangeListener(onAccount);
  await connection.removeOnLogsListener(onLogs);
  await connection.removeSlotChangeListener(onSlot);
  expect(await hungUp, 'by its own will').toBe(1000);
});

it('a signature is notified once, with its error, when its transaction has reached the commitment', async () => {
  chain = await startTestChain();
  const payer = await chain.fundedSigner(SOL);
  const { address } = await generateKeyPairSigner();
  const failing = await chain.sign(payer, [transfer(payer, address, 2n * SOL)]);
  const { socket, call, told, heard } = await connect();
  // Sent without the preflight, the transaction fails on the chain.
  const sent = await chain.call('sendTransaction', failing, { encoding: 'base64', skipPreflight: true });
  const signature = sent.result;
  const subscribed = await call('signatureSubscribe', signature, {
    commitment: 'confirmed',
    enableReceivedNotification: true,
  });
  expect(subscribed.result).toEqual(expect.any(Number));
  await waitFor(() => told('signatureNotification').length === 1 || undefined);
  expect(told('signatureNotification')[0].value).toBe('receivedSignature');

  chain.ledger.clock.advance(1n);
  await waitFor(() => told('signatureNotification').length === 2 || undefined);
  expect(told('signatureNotification')[1]).toEqual({
    context: { slot: Number(chain.ledger.clock.slot('confirmed')) },
    value: { err: { InstructionError: [0, { Custom: 1 }] } },
  });
  expect(heard.at(-1)).toMatchObject({ params: { subscription: subscribed.result } });
  expect((await call('signatureUnsubscribe', subscribed.result)).error).toEqual({
    code: -32602,
    message: 'Invalid subscription id.',
  });
  socket.terminate();
});

it('accounts, logs and slots are notified as they come, and not after they are unsubscribed', async () => {
  chain = await startTestChain();
  const payer = await chain.fundedSigner(SOL);
  const { address } = await generateKeyPairSigner();
  // The RPC's own port accepts the upgrade, too.
  const { socket, call, told } = await connect(chain.url.replace('http', 'ws'));
  const processed = { commitment: 'processed' };
  const ids = {
    account: (await call('accountSubscribe', address, { ...processed, encoding: 'base64' })).result,
    logs: (await call('logsSubscribe', { mentions: [address] }, processed)).result,
    slot: (await call('slotSubscribe')).result,
  };
  const all = await call('logsSubscribe', 'all', { commitment: 'finalized' });
  expect(new Set([...Object.values(ids), all.result]).size).toBe(4);

  const slot = Number(chain.ledger.clock.slot());
  const signature = await submit(payer, [transfer(payer, address, SOL / 2n)]);
  await submit(payer, [memo('of others')]);
  chain.ledger.clock.advance(2n);
  await waitFor(() => told('slotNotification').length === 2 || undefined);
  expect(told('slotNotification')).toEqual([
    { parent: slot, root: slot - 31, slot: slot + 1 },
    { parent: slot + 1, root: slot - 30, slot: slot + 2 },
  ]);
  expect(told('accountNotification')).toMatchObject([
    { context: { slot }, value: { lamports: Number(SOL / 2n), data: ['', 'base64'], executable: false } },
  ]);
  expect(told('logsNotification')).toMatchObject([{ context: { slot }, value: { signature, err: null } }]);
  expect(told('logsNotification')[0].value.logs).toContain('Program 11111111111111111111111111111111 success');

  for (const [kind, id] of Object.entries(ids)) expect((await call(`${kind}Unsubscribe`, id)).result).toBe(true);
  await submit(payer, [transfer(payer, address, 1n)]);
  chain.ledger.clock.advance(40n);
  // The remaining subscription gets finalized transactions. The earlier airdrop is one of them.
  await waitFor(() => told('logsNotification').length === 5 || undefined);
  expect([told('accountNotification').length, told('slotNotification').length]).toEqual([1, 2]);
  socket.terminate();
});

it('a call that does not subscribe is refused with the error of JSON-RPC, and a ping gets no answer', async () => {
  chain = await startTestChain();
  const { socket, call, heard } = await connect();
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'ping' }));
  expect((await call('getSlot')).error).toEqual({ code: -32601, message: 'Method not found' });
  expect((await call('accountSubscribe', 'x')).error.code).toBe(-32602);
  expect((await call('logsSubscribe', { mentions: [] })).error.message).toBe(
    'Invalid Request: Only 1 address supported',
  );
  expect((await call('logsSubscribe', 7)).error.code).toBe(-32602);
  expect((await call('slotUnsubscribe', 99)).error.message).toBe('Invalid subscription id.');
  expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);

  for (let index = 0; index < 1_000; index++) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1e6 + index, method: 'slotSubscribe' }));
  }
  expect((await call('slotSubscribe')).error.message).toBe('Node subscription limit reached');

  const closed = once(socket, 'close');
  socket.send('x'.repeat(51 * 1024));
  expect((await closed)[0]).toBe(1009);
  expect((await fetch(chain.wsUrl.replace('ws', 'http'))).status).toBe(426);
});

it('a chain does not start if the next port is taken, and without a given port finds two free ones', async () => {
  chain = await startTestChain();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await expect(startChain({ port: port - 1, slotMs: 0 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  taken.close();
  expect(new URL(chain.wsUrl).port).toBe(String(Number(new URL(chain.url).port) + 1));
});
