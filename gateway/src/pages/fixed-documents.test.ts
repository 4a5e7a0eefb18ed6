import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { describeApi } from './describe-api.js';
import { createDocuments } from './fixed-documents.js';

describe('the documents', () => {
  const documents = createDocuments();
  const description: unknown = JSON.parse(JSON.stringify(describeApi()));

  test.each([
    ['/openapi.json', 'application/json', (text: string): unknown => JSON.parse(text)],
    ['/openapi.yaml', 'application/yaml', (text: string): unknown => parse(text)],
  ])('%s is the API description', async (path, contentType, read) => {
    const document = documents.get(path)!;
    expect(document.contentType).toBe(contentType);
    expect(read(String(await document.body()))).toEqual(description);
  });

  test('the reference page is among them', async () => {
    expect(String(await documents.get('/docs')!.body())).toContain('<!doctype html>');
  });
});
