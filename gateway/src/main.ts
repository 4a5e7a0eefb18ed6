/** The gateway process: reads its configuration, builds everything, serves until told to stop. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import {
  gatewayVariables,
  type GatewayConfig,
} from '@countersign/runtime/settings/gateway-config.js';
import { closeServer } from './http/close-server.js';
import { drain } from './http/drain.js';
import { createFastServer } from './http/fast-server.js';
import { openGateway } from './open-gateway.js';

const MAX_CONNECTIONS = 10_000;
const BUILT_CONSOLE = join(import.meta.dirname, '../../console/dist');

/** Time for the steps of a stop besides open requests. */
const STOP_STEPS_MS = 5_000;

async function main(config: GatewayConfig): Promise<void> {
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const drainMs = config.DRAIN_S * 1_000;
  const life = openProcessLife(logger, drainMs + config.SHUTDOWN_MS + STOP_STEPS_MS);
  const surface = await openGateway(
    { ...config, CONSOLE_DIR: config.CONSOLE_DIR ?? BUILT_CONSOLE },
    logger,
    life,
  );
  const server = createFastServer(surface);
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, config);
  life.onStop(() => closeServer(server, config.SHUTDOWN_MS));
  life.onStop((by) => drain(by, drainMs, logger));
  logger.info({ event: 'listening', host: config.HOST, port }, 'gateway listening');
  process.send?.({ event: 'listening', port });
}

/** Resolves to the port that it listens on; rejects when that fails. */
function listen(server: Server, { HOST, PORT }: GatewayConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

void runProgram('gateway', process.env, (environment) =>
  main(readConfig(gatewayVariables, environment)),
);
