#!/bin/sh
# Creates an authority, and one certificate for all EventStoreDB nodes, unless they exist. To replace the certificate before its
# end (two years), remove node.crt and run this again; to replace the authority, remove all files.
set -eu
if [ -e /certificates/node.crt ]; then
  openssl x509 -in /certificates/node.crt -noout -enddate
  exit 0
fi

if [ ! -e /authority/ca.crt ]; then
  umask 077
  openssl req -x509 -newkey rsa:4096 -noenc -days 3650 -subj '/O=Plaza/CN=Plaza event store authority' \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign \
    -keyout /authority/ca.key -out /authority/ca.new
  mv /authority/ca.new /authority/ca.crt
fi

umask 022
mkdir -p /certificates/ca
install --mode=444 /authority/ca.crt /ca/ca.crt
install --mode=444 /authority/ca.crt /certificates/ca/ca.crt
openssl req -newkey rsa:2048 -noenc -subj '/CN=eventstoredb-node' -keyout /tmp/node.key -out /tmp/node.csr
cat >/tmp/extensions <<X
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth,clientAuth
subjectAltName=DNS:eventstore,DNS:eventstore-2,DNS:eventstore-3,DNS:localhost,IP:127.0.0.1
X
openssl x509 -req -in /tmp/node.csr -CA /authority/ca.crt -CAkey /authority/ca.key -CAcreateserial -CAserial /tmp/serial -days 730 \
  -extfile /tmp/extensions -out /tmp/node.crt
# The owner is the user of EventStoreDB's image. It is set last, because the files of another user need further rights.
rm -f /certificates/node.key
cp /tmp/node.key /certificates/node.key
chmod 400 /certificates/node.key
chown 1000:1000 /certificates/node.key
# Written last: its existence proves that all files exist.
install --mode=444 /tmp/node.crt /certificates/node.crt
