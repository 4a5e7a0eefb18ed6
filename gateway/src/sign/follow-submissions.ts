import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Dispatcher, Submitted } from './dispatcher.js';

/** The same dispatcher; `follow` is told of each request and its end. */
export function followSubmissions(
  dispatcher: Dispatcher,
  follow: (submitted: Submitted, ended: RecordedOutcome | undefined) => void,
): Dispatcher {
  const followed = async (submitted: Submitted, outcome: Promise<RecordedOutcome | undefined>) => {
    const ended = await outcome;
    follow(submitted, ended);
    return ended;
  };
  const submit: Dispatcher['submit'] = (item, asked) =>
    followed({ item, asked }, dispatcher.submit(item, asked));
  const submitAll: Dispatcher['submitAll'] = (submitted) =>
    dispatcher.submitAll(submitted).map((outcome, at) => followed(submitted[at]!, outcome));
  // the prototype keeps its figures live
  return Object.assign(Object.create(dispatcher) as Dispatcher, { submit, submitAll });
}
