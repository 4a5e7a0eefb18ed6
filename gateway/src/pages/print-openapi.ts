/** Prints the API description that the gateway serves at `/openapi.json`. */
import { describeApi } from './describe-api.js';

process.stdout.write(`${JSON.stringify(describeApi(), null, 2)}\n`);
