/**
 * Imported before anything else: zod makes code of text where it may, and tries whether it may. The page's policy says no,
 * and each try would be in the browser's console as an attack is.
 */
import { z } from 'zod';

z.config({ jitless: true });
