/** An account of the chain. */
export interface Account {
  data: Uint8Array;
  executable: boolean;
  lamports: bigint;
  /** The program that owns the account. */
  owner: string;
}

/** Finds an account by its address; undefined if it does not exist. */
export type AccountReader = (address: string) => Account | undefined;
