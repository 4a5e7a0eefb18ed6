/**
 * Tells the library of the API's schemas to make no code from text: the page's policy forbids it, and even the attempt
 * would be reported as a violation. Imported before anything that makes a schema.
 */
import { config } from 'zod';

config({ jitless: true });
