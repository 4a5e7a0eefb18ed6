/** For the tests that need no server: what a run's servers are found by is hidden from them. */
for (const name of Object.keys(process.env)) {
  if (name.startsWith('COUNTERSIGN_TEST_')) Reflect.deleteProperty(process.env, name);
}
