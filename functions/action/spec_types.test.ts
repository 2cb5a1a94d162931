import type * as Spec from '@solana/actions-spec';
import { describe, expectTypeOf, it } from 'vitest';
import type {
  ActionChoice,
  ActionDate,
  ActionGetResult,
  ActionParameter,
  ActionPostParams,
  ActionPostResult,
  ActionsJson,
  CompletedAction,
} from '../../types/action.ts';
import type { ErrorBody } from '../../types/errors.ts';

// The compiler checks these expectations, in `npm run check`.
describe('an answer of the function action', () => {
  it('has the form of the specification', () => {
    expectTypeOf<ActionGetResult>().toExtend<Spec.ActionGetResponse>();
    expectTypeOf<ActionPostResult>().toExtend<Spec.ActionPostResponse>();
    expectTypeOf<CompletedAction>().toExtend<Spec.NextAction>();
    expectTypeOf<ActionsJson>().toExtend<Spec.ActionsJson>();
    expectTypeOf<ErrorBody>().toExtend<Spec.ActionError>();
    expectTypeOf<ActionParameter | ActionDate | ActionChoice>().toExtend<Spec.TypedActionParameter>();
  });

  it('follows a request in the form of the specification', () => {
    expectTypeOf<Spec.ActionPostRequest>().toExtend<ActionPostParams>();
  });
});
