"""What a browser asks on behalf of a page from elsewhere."""

import httpx


async def test_a_page_from_elsewhere_is_told_that_it_cannot(bucket):
    await bucket.put_object(Key="k", Body=b"x")
    link = bucket.client.generate_presigned_url("get_object", Params={"Bucket": bucket.name, "Key": "k"})
    async with httpx.AsyncClient(trust_env=False) as http:
        asked = await http.options(link, headers={"Origin": "https://elsewhere.example"})
        assert (asked.status_code, "<Code>InvalidRequest</Code>" in asked.text) == (400, True)
        assert not [name for name in asked.headers if name.startswith("access-control-")]
        assert (await http.get(link)).status_code == 200
