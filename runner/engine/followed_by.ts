/** Continues at once with a result that is there, and later with a promise. */
export const followedBy = <T, R>(result: T | Promise<T>, goOn: (result: T) => R | Promise<R>): R | Promise<R> =>
  result instanceof Promise ? result.then(goOn) : goOn(result);
