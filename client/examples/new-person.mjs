// A person for the console, with every right that the administrator has: node client/examples/new-person.mjs NAME EMAIL
//
// prints the code with which they make their passkey. It is shown once.
import { call } from './call.mjs';

const [name, email] = process.argv.slice(2);
const body = { type: 'human', display_name: name, email, cloud_provider: 'azure' };
const person = await call('POST', '/v1/users', JSON.stringify(body));
if (person.enrollment_code === undefined) throw new Error(person.err_msg);

const { results: policies } = await call('GET', '/v1/admin-policies?limit=100');
const mine = policies.filter(({ display_name: of }) => of.startsWith('genesis: '));
for (const { action } of mine) {
  const policy = {
    display_name: `${name}: ${action}`,
    action,
    effect: 'allow',
    subjects: { user_ids: [person.id] },
  };
  const made = await call('POST', '/v1/admin-policies', JSON.stringify(policy));
  if (made.id === undefined) throw new Error(made.err_msg ?? 'not done yet');
}
console.log(person.enrollment_code);
