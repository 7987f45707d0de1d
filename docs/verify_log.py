#!/usr/bin/env python3
"""Verifies what a Plaza network signed, with Python's standard library alone and without the network.

    python3 verify_log.py export DIR KEY [KEY...]
    python3 verify_log.py data FILE KEY [KEY...]

DIR has the files of an export (docs/audit.md), FILE the data of a person (docs/own-data.md). KEY is the public key of the network, kept from
an earlier day: NAME+HASH+BASE64, or @FILE with one key a line. Exit codes: 0 verified, 1 refused, 2 wrong usage or nothing that this script
can read. Sources: RFC 8032, RFC 6962, C2SP signed-note.
"""

import argparse
import base64
import hashlib
import json
import os
import sys

class Refused(Exception):
    pass

class Unreadable(Exception):
    pass

# Ed25519 (RFC 8032, section 5.1.7), verification alone. Points are (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    g, h = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P

def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result

def decode_point(data):
    """None: no point has this encoding."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or y >= P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P

BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def is_signed(public_key, message, signature):
    key, s = decode_point(public_key), int.from_bytes(signature[32:], "little")
    if key is None or len(signature) != 64 or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little")
    x, y, z, _ = add(multiply(s, BASE), multiply(k % ORDER, (P - key[0], key[1], 1, P - key[3])))
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]

# Signed notes (C2SP signed-note)

def decode_base64(text):
    """None: it is not the only form of its bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None

def read_key(text):
    """Returns (name, hash, public key)."""
    name, digest, encoded = (text.split("+", 2) + ["", ""])[:3]
    key = decode_base64(encoded)
    if not name or key is None or len(key) != 33 or key[0] != 1:
        raise Unreadable(f"{text!r} is no Ed25519 key of the form NAME+HASH+BASE64")
    if hashlib.sha256(f"{name}\n".encode() + key).hexdigest()[:8] != digest:
        raise Unreadable(f"the key {text!r} is damaged: its hash differs")
    return name, bytes.fromhex(digest), key[1:]

def read_keys(path):
    with open(path, "rb") as file:
        try:
            return file.read().decode("utf-8").split()
        except UnicodeDecodeError:
            raise Unreadable(f"the file of keys {path} is no UTF-8") from None

def open_note(note, keys):
    """Returns the text of a note that at least one of the keys signed, and its signers. A wrong signature by any key is refused."""
    try:
        content = note.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("the note is no UTF-8") from None
    text, separator, signatures = content.rpartition("\n\n")
    text += "\n"
    if not separator or not signatures.endswith("\n") or any(c < " " and c != "\n" for c in content):
        raise Refused("this is no signed note")
    signers = []
    for line in signatures[:-1].split("\n"):
        dash, name, encoded = (line.split(" ", 2) + ["", ""])[:3]
        data = decode_base64(encoded)
        if dash != "\u2014" or not name or data is None or len(data) < 5:
            raise Refused("a signature line of the note is malformed")
        for key_name, digest, public_key in keys:
            if (key_name, digest) == (name, data[:4]):
                if not is_signed(public_key, text.encode(), data[4:]):
                    raise Refused(f"the signature of {name} is wrong: the note was changed")
                signers.append(name)
    if not signers:
        raise Refused("none of the given keys signed this note")
    return text, ", ".join(dict.fromkeys(signers))

# Merkle tree (RFC 6962, section 2.1): a list of (size, root) of its complete subtrees, the largest first

def leaf_hash(entry):
    return hashlib.sha256(b"\x00" + entry).digest()

def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()

def append(tree, size, hashed):
    while tree and tree[-1][0] == size:
        size, hashed = size * 2, node_hash(tree.pop()[1], hashed)
    tree.append((size, hashed))

def root(tree):
    if not tree:
        return hashlib.sha256().digest()
    hashed = tree[-1][1]
    for _, left in reversed(tree[:-1]):
        hashed = node_hash(left, hashed)
    return hashed

def read_lines(path, ends_with_note):
    """Returns the tree of the lines of a file, up to its end or, if it ends with one, to its note, and that line."""
    tree, name = [], os.path.basename(path)
    with open(path, "rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                raise Refused(f"{name} does not end with a whole line")
            if ends_with_note and line.startswith(b'{"note":') and not file.read(1):
                return tree, line
            append(tree, 1, leaf_hash(line[:-1]))
    return tree, None

def verify(note, keys, kind, fields, path, tree):
    text, signers = open_note(note, keys)
    found, _, rest = text.partition("\n")
    if found != kind:
        raise Unreadable("the note is signed, and no manifest that this script knows here")
    try:
        manifest = json.loads(rest)
        shown = [f"{field}: {json.dumps(manifest[field])}" for field in fields]
        count_signed, root_signed = manifest["entries"]["count"], manifest["entries"]["root"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Unreadable("the signed manifest has another form than this script knows") from None
    count, name = sum(size for size, _ in tree), os.path.basename(path)
    if count != count_signed:
        raise Refused(f"{name} has {count} entries, and the network signed {count_signed}")
    if base64.b64encode(root(tree)).decode() != root_signed:
        raise Refused(f"{name} is not as the network signed it: entries were changed or moved")
    print(f"verified: {count} entries, signed by {signers}", *shown, sep="\n")

EXPORT = "plaza-audit-export/v1", ("network", "exportId", "exportedAt", "operatorId", "query", "upTo")
DATA = "plaza-own-data/v1", ("network", "actorId", "downloadId", "begunAt", "upTo")

def verify_export(directory, keys):
    path = os.path.join(directory, "audit.jsonl")
    with open(os.path.join(directory, "manifest.note"), "rb") as file:
        verify(file.read(), keys, *EXPORT, path, read_lines(path, False)[0])

def verify_data(path, keys):
    tree, last = read_lines(path, True)
    try:
        note = json.loads(last)["note"].encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise Refused("the file does not end with a note: it was cut off") from None
    verify(note, keys, *DATA, path, tree)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, place, run in ("export", "DIR", verify_export), ("data", "FILE", verify_data):
        command = commands.add_parser(name)
        command.add_argument("place", metavar=place)
        command.add_argument("keys", metavar="KEY", nargs="+")
        command.set_defaults(run=run)
    given = parser.parse_args()
    try:
        keys = [text for key in given.keys for text in (read_keys(key[1:]) if key[:1] == "@" else [key])]
        given.run(given.place, [read_key(text) for text in keys])
    except Refused as error:
        sys.exit(f"REFUSED: {error}")
    except (Unreadable, OSError, UnicodeError, MemoryError) as error:
        print(f"nothing is verified: {error or type(error).__name__}", file=sys.stderr)
        sys.exit(2)

if __name__ == "__main__":
    main()
