import { describe, expect, it } from '@jest/globals';
import { translateExpression, UnsupportedExpressionError } from './filter-expression.js';

const matches = (pattern: string, text: string): boolean => translateExpression(pattern).test(text);

describe('an expression for .NET', () => {
  // expression, matching text, other text
  it.each<[string, string, string]>([
    ['^account-', 'account-1', 'my-account-1'],
    ['created$', 'post.created', 'post.created.again'],
    ['\\Apost\\z', 'post', 'post\n'],
    ['\\Apost\\Z', 'post\n', 'post\n\n'],
    ['post$', 'post\n', 'post\r'],
    ['(?m)^post$', 'a\npost\nb', 'a post b'],
    ['\\Gpost', 'post', 'a post'],
    ['a.b', 'a\rb', 'a\nb'],
    ['(?s)a.b', 'a\nb', 'ab'],
    ['^\\p{Ll}$', 'é', 'É'],
    ['^\\P{Lu}+$', 'post-1', 'Post-1'],
    ['^\\w+$', 'größe_٣', 'a-b'],
    ['^\\W+$', '-.-', '-a-'],
    ['^\\d$', '٣', 'x'],
    ['^\\D\\S\\s$', 'aa\u2003', 'aaa'],
    ['\\bé\\b', 'a é b', 'aéb'],
    ['a\\Bé', 'aé', 'a é'],
    ['^[a-z-[aeiou]]+$', 'xyz', 'xaz'],
    ['^[^a-z-[0-4]]+$', '5-9', '3'],
    ['^[\\w-[\\d-[5]]]+$', 'ab5', 'ab6'],
    ['^[]a]+$', ']a]', '['],
    ['^[^]a]+$', 'b[', 'b]'],
    ['^[a-]+$', '-a', 'b'],
    ['^[&&||~~()/{}-]+$', '&|~()/{}-', 'a'],
    ['^[\\b]$', '\b', 'b'],
    ['^[\\]\\-\\\\]+$', ']-\\', 'a'],
    ['(?i)POST', 'post', 'pos'],
    ['^a(?i)b|c$', 'C', 'A'],
    ['^(?i:a)b$', 'Ab', 'AB'],
    ['^(?i)a(?-i)b$', 'Ab', 'AB'],
    ['^((?i)a)b$', 'Ab', 'AB'],
    ["^(?'one'a|b)$", 'b', 'c'],
    ['^(?<one>a|b)$', 'a', 'c'],
    ['a\\B\\u200d', 'a\u200d', 'a-'],
    ['^[a\\-c]+$', 'a-c', 'b'],
    ['^(?=a)(?!ab)a(?<=a)(?<!b)c', 'ac', 'ab'],
    ['^a(?#not read)b$', 'ab', 'a'],
    ['^a{2}b{1,}c{0,1}d*?e+$', 'aabde', 'abde'],
    ['^a{,2}{$', 'a{,2}{', 'aa{'],
    ['^a]}$', 'a]}', 'a'],
    ['^\\x41\\u00e9\\t\\a\\e\\cA\\0\\07$', 'Aé\t\x07\x1b\x01\0\x07', 'Aé'],
    ['^\\$\\-\\.\\#\\ $', '$-.# ', '$-x# '],
    ['^/a/$', '/a/', 'a'],
    ['^(?:a|b)?c$', 'ac', 'abc'],
    ['^😀$', '😀', '😁'],
  ])('%j matches %j and not %j', (pattern, text, other) => {
    expect([matches(pattern, text), matches(pattern, other)]).toEqual([true, false]);
  });

  it.each([
    '(?x) a b',
    '(?n)(a)',
    '(?>a+)b',
    '(?(a)b|c)',
    '(?<open-close>a)',
    '(?<1>a)',
    '\\p{IsGreek}',
    '\\p{Script=Greek}',
    '\\p',
    '\\y',
    '\\12(a)',
    '(a)?\\1',
    '(?<n>a)?\\k<n>',
    "(?'n'a)?\\k'n'",
    '[\\--a]',
    '[+-\\-]',
    'a(?i)*',
    '(?i){2}',
    '\\ud83d\\ude00',
    '[\\ud83d]',
    '\\p{Cs}',
    '[[:alpha:]]',
    '[a-\\d]',
    '[a-z-[b]c]',
    '[z-a]',
    '[a',
    '(a',
    'a)',
    'a\\',
    '*a',
    'a**',
    '(?<n>a)(?<n>b)',
    'a'.repeat(4097),
  ])('%j is refused, and never taken for something else', (pattern) => {
    expect(() => translateExpression(pattern)).toThrow(UnsupportedExpressionError);
  });

  it.each([
    ['groups', '('.repeat(2000), ')'.repeat(2000)],
    ['classes', '[a-'.repeat(500), ']'.repeat(500)],
  ])('of too many nested %s is refused', (_, open, close) => {
    expect(() => translateExpression(`${open}[b]${close}`)).toThrow(/more than 100 nested groups/);
  });
});
