/** Calls `goOn` with the result: at once, or when the promise resolves. */
export const followedBy = <T, R>(result: T | Promise<T>, goOn: (result: T) => R | Promise<R>): R | Promise<R> =>
  result instanceof Promise ? result.then(goOn) : goOn(result);
