/** Ready-made beginnings for the programs that people use S3 with. */

export interface S3Place {
  endpoint: string;
  region: string;
  bucket: string;
}

/** What stands for a key where it is not known, and for a secret where it is not shown any more. */
export const KEY_PLACEHOLDER = "<access key id>";
export const SECRET_PLACEHOLDER = "<secret access key>";

export function snippetsFor({ endpoint, region, bucket }: S3Place, keyId: string, secret: string) {
  return [
    {
      id: "aws",
      name: "AWS CLI",
      text: [
        `export AWS_ACCESS_KEY_ID='${keyId}'`,
        `export AWS_SECRET_ACCESS_KEY='${secret}'`,
        `export AWS_DEFAULT_REGION='${region}'`,
        `aws --endpoint-url '${endpoint}' s3 ls 's3://${bucket}/'`,
      ].join("\n"),
    },
    {
      id: "boto3",
      name: "boto3",
      text: [
        "import boto3",
        "",
        "s3 = boto3.client(",
        '    "s3",',
        `    endpoint_url="${endpoint}",`,
        `    region_name="${region}",`,
        `    aws_access_key_id="${keyId}",`,
        `    aws_secret_access_key="${secret}",`,
        ")",
        `s3.upload_file("report.pdf", "${bucket}", "report.pdf")`,
      ].join("\n"),
    },
    {
      id: "rclone",
      name: "rclone",
      text: [
        "# ~/.config/rclone/rclone.conf; then: rclone ls guildhall:" + bucket,
        "[guildhall]",
        "type = s3",
        "provider = Other",
        `endpoint = ${endpoint}`,
        `region = ${region}`,
        `access_key_id = ${keyId}`,
        `secret_access_key = ${secret}`,
      ].join("\n"),
    },
  ];
}
