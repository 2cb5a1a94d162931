import type { ErrorEntry } from './error_entry.ts';

/** The errors of wallets and signatures. */
export const walletErrors = {
  wallet_key_mismatch: {
    status: 400,
    meaning: '`keypair` must be the key pair of `public_key`.',
    remedy: 'Send the 64 bytes that belong to `public_key`.',
    example: {
      message: 'keypair must be the key pair of public_key.',
      hint: 'A key pair is the 32 bytes of the secret key, then the 32 bytes of its public key.',
    },
  },
  wallet_keypair_required: {
    status: 400,
    meaning: 'A HARDCODED wallet needs its key pair when it is first stored.',
    remedy: 'Send `keypair`.',
    example: {
      message: 'A HARDCODED wallet needs its key pair.',
      hint: 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.',
    },
  },
  signature_invalid: {
    status: 400,
    meaning: '`signature` must be a signature of the requested key over the message.',
    remedy: 'Sign the bytes of `message` (or of `new_msg`) with the requested key, by Ed25519.',
    example: {
      message: 'signature must be a signature of da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs over the message.',
      hint: 'Sign the bytes of message. If the wallet signed other bytes, send them as new_msg.',
    },
  },
  transaction_changed: {
    status: 400,
    meaning: '`new_msg` changes a part of the transaction that must stay as it is; `details` lists the changes.',
    remedy: 'Change only what a fee payer may change: instructions of the compute budget.',
    example: {
      message: 'new_msg changes a part of the transaction that must stay as it is: instructions[2].data: was changed.',
      details: [{ path: 'instructions[2].data', message: 'was changed' }],
      hint: 'Only the instructions of the compute budget may be changed, and only by the fee payer.',
    },
  },
  signature_request_not_found: {
    status: 404,
    meaning:
      'There is no such signature request. Or the caller may not see it and sent no valid signature. Or the run has ended before the request was answered.',
    remedy: 'Check the id; if the run has ended, there is nothing to sign.',
    example: { message: 'There is no such signature request.' },
  },
  wallet_not_found: {
    status: 404,
    meaning: "There is no such wallet, or it is somebody else's.",
    remedy: 'Leave out `user_id`, or send your own id.',
    example: {
      message: 'There is no such wallet.',
      hint: "user_id must be the caller's own id; it may be left out.",
    },
  },
  wallet_in_use: {
    status: 409,
    meaning: 'The wallet is the action identity of a deployment; change or delete the deployment first.',
    remedy: 'Set `action_identity` of those deployments to another key or to null.',
    example: {
      message: 'The wallet is the action identity of deployment 019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11.',
      details: { deployment_id: '019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11' },
      hint: 'First change the action_identity of all deployments that name this wallet.',
    },
  },
  signature_request_answered: {
    status: 409,
    meaning: 'The signature request has been answered; `details` holds the answer, for those who may see the run.',
    remedy: 'Nothing: the signature has arrived.',
    example: {
      message: 'This signature request is already answered.',
      details: {
        signature: '4M5txFZz3Ud1NCBPdWxLF1VT23mFWVMaeZXZiQeuCg7d3rM79j5ppJmr24PCHuQVsKm3Eqeu7rJ512Vzo7WfQQ1t',
        new_msg: null,
        expires_at: '2026-11-21T13:17:36.123456+00:00',
        run_status: 'running',
      },
      hint: 'If details.signature is the one that you sent, your answer was stored.',
    },
  },
  signature_request_expired: {
    status: 409,
    meaning:
      'The signature request has expired, or its run has ended; `details` says which, for those who may see the run.',
    remedy: 'Start the run again.',
    example: {
      message: 'The time to answer this signature request is over.',
      details: {
        signature: null,
        new_msg: null,
        expires_at: '2026-11-21T13:17:36.123456+00:00',
        run_status: 'waiting',
      },
      hint: 'Start the run again, and sign before expires_at.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
