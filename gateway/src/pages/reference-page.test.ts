import { describe, expect, test } from '@jest/globals';
import { createReferencePage } from './reference-page.js';

describe('the reference page', () => {
  const page = createReferencePage();
  const html = String(page['/docs']?.body);

  test('loads nothing but what is served beside it', () => {
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) expect(page).toHaveProperty([path]);
  });

  test('leads to the guide to signing', () => {
    expect(html).toContain('href="/docs/signing-requests"');
  });

  test('asks for no credential: it sends nothing', () => {
    expect(html.indexOf('/docs/reference-page.css')).toBeGreaterThan(
      html.indexOf('/docs/swagger-ui.css'),
    );
    const style = String(page['/docs/reference-page.css']?.body);
    const bundle = String(page['/docs/swagger-ui-bundle.js']?.body);
    const hidden = [...style.matchAll(/^(.+) \{ display: none; \}$/gm)].flatMap(([, names]) =>
      [...names!.matchAll(/\.swagger-ui \.([\w-]+)/g)].map(([, name]) => name!),
    );
    expect(hidden).toEqual(['scheme-container', 'authorization__btn', 'response-col_links']);
    // a name that the package no longer uses would hide nothing
    for (const name of hidden) expect(bundle.includes(name)).toBe(true);
    expect(String(page['/docs/reference-page.js']?.body)).toContain('supportedSubmitMethods: []');
  });

  test('has no script or style of its own in the page', () => {
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(html).not.toMatch(/<style|\son\w+=|\sstyle=/);
  });

  test('asks no validator and reads the description from this service', () => {
    const script = String(page['/docs/reference-page.js']?.body);
    expect(script).toContain('validatorUrl: null');
    expect(script).toContain("url: '/openapi.json'");
    expect(script).not.toMatch(/https?:/);
  });

  test('every asset is there with its type', () => {
    for (const { contentType, body } of Object.values(page)) {
      expect(contentType).toMatch(/^(text\/(html|css|javascript); charset=utf-8|image\/png)$/);
      expect(body.length).toBeGreaterThan(100);
    }
  });
});
